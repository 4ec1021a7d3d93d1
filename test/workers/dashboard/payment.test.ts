import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, test } from 'vitest';
import { claimRefund, requestRefund, resolveRefund } from '../../support/intents.ts';
import {
  ALPHA,
  advance,
  BETA,
  call,
  clientOf,
  consumeAll,
  createExpress,
  createHosted,
  DAY_MS,
  EXPIRE_IN_MS,
  execute,
  fireAlarm,
  intentOf,
  lastEvent,
  merchantServer,
  payHosted,
  reachedObjects,
  resolveAttempt,
  SIMULATED_FAILURE,
  startRedirect,
  useGateway,
} from '../support.ts';
import { auditLog, found, type SignedIn, signedIn, submit, visit } from './support.ts';

/**
 * Goal: a payment's page shows its whole history as its object has it and explains what needs a
 * look. Developers can resend an event or cancel there; the page never shows or changes another
 * merchant's payment. Method: payments in every state, and the page as a browser gets it.
 */

const caught = useGateway();

const PAGE = '/dashboard/sandbox/payments/order-1';

async function pageOf(member: SignedIn, path = PAGE, language = 'en'): Promise<string> {
  const response = await visit(member, path, language);
  expect(response.status).toBe(200);
  return response.text();
}

/** A section of the page by its heading's id, as plain text. */
function part(html: string, id: string): string {
  const section = html.split(/(?=<section)/).find((piece) => piece.includes(`id="${id}"`)) ?? '';
  return section
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** What the page begins with, as plain text. */
function headOf(html: string): string {
  const head = html.split('<div class="page-head">')[1]?.split('<section')[0] ?? '';
  return head
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The timeline, oldest first: each transition and its actor. */
function historyOf(html: string): [string, string][] {
  const list = html.split('id="timeline"')[1]?.split('</ol>')[0] ?? '';
  const textOf = (step: string, name: string) =>
    new RegExp(`<div class="${name}">(.*?)</div>`, 's')
      .exec(step)?.[1]
      ?.replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim() ?? '';
  return list
    .split('<li')
    .slice(1)
    .map((step) => [
      textOf(step, 'timeline-title'),
      textOf(step, 'quiet small').split(' · ')[0] ?? '',
    ]);
}

describe('every state', () => {
  test('open: shows the terms, and the checkout link to developers only', async () => {
    const url = await createHosted({
      customerInfo: { name: 'Abebe <b>', email: 'a@example.com', phone: '911234567' },
      commissionPaidByCustomer: true,
      paymentLinkUniqueId: 'link-9',
      metadata: { branch: 'Bole <i>' },
    });
    const html = await pageOf(await signedIn('developer'));
    expect(headOf(html)).toMatch(/^‹ All payments Payment order-1 Open ETB 100\.50/);
    expect(part(html, 'facts')).toMatch(/Amount ETB 100\.50 Customer pays ETB 101\.51/);
    expect(part(html, 'facts')).toContain('paid by the customer');
    expect(part(html, 'customer')).toMatch(/^Customer Phone \+251 91 123 4567 Name Abebe/);
    expect(html).toContain('Abebe &lt;b>');
    expect(part(html, 'ids')).toContain('link-9');
    expect(part(html, 'ids')).toContain('branch Bole &lt;i>');
    expect(html).toContain(`href="${url}"`);
    expect(part(html, 'attempts')).toContain('has not tried to pay yet');
    expect(part(html, 'events')).toContain('No events yet');
    expect(historyOf(html)).toEqual([['Payment created Open', 'Merchant']]);
    expect(await pageOf(await signedIn('viewer'))).not.toContain('/checkout/');
  });

  test('paid: shows charge, commission, net amount and every transition', async () => {
    await payHosted();
    const html = await pageOf(await signedIn());
    // Both the payment's own status and that of its webhook.
    expect(headOf(html)).toMatch(/Paid Webhook Queued ETB 100\.50 telebirr · .* EAT Refund$/);
    expect(part(html, 'facts')).toMatch(
      /Amount ETB 100\.50 Commission ETB 1\.01 \(paid by you\) You receive ETB 99\.49/,
    );
    expect(part(html, 'attempts')).toContain('Attempt 1: telebirr');
    expect(part(html, 'attempts')).toContain((await intentOf()).attempts[0]?.reference);
    expect(part(html, 'events')).toContain('PAYMENT_SUCCESS Queued');
    expect(html).not.toContain('id="attention"');
    // Every member gets the receipt, whose link can pay nothing, and no checkout link.
    expect(part(html, 'receipt')).toContain('Nothing can be paid with it.');
    expect(html).toMatch(/href="[^"]+\/receipt\/[^"]+"/);
    expect(html).not.toContain('/checkout/');
    expect(historyOf(html)).toEqual([
      ['Payment created Open', 'Merchant'],
      ['Attempt started Open › In progress', 'Customer'],
      ['Provider reported the outcome In progress › Paid', 'Provider'],
    ]);
  });

  test('paid a year ago: links no receipt, even if it was refunded since', async () => {
    await payHosted();
    const [{ id: attemptId } = { id: '' }] = (await intentOf()).attempts;
    advance(364 * DAY_MS);
    await execute(
      requestRefund('r1', { attemptId }),
      claimRefund('r1'),
      resolveRefund('r1', { type: 'succeeded', railReference: null }),
    );
    expect(await pageOf(await signedIn())).toMatch(/href="[^"]+\/receipt\/[^"]+"/);
    advance(2 * DAY_MS);
    expect(await pageOf(await signedIn())).not.toContain('/receipt/');
  });

  test('failed attempts: shows the latest first, with the reason', async () => {
    await createHosted();
    await execute(startRedirect('a0'), resolveAttempt('a0', 'failed'));
    await execute(startRedirect('a1'));
    await execute({
      type: 'resolve_attempt',
      attemptId: 'a1',
      outcome: { type: 'failed', reason: 'insufficient_funds', providerCode: 'E_4711' },
    });
    const html = await pageOf(await signedIn());
    expect(part(html, 'attempts')).toMatch(
      /Attempt 2: telebirr Failed .*not enough money.*E_4711.*Attempt 1: telebirr Failed .*declined it/,
    );
    expect(historyOf(html).at(-1)?.[0]).toBe('Provider reported the outcome In progress › Open');
    expect(part(html, 'timeline')).toContain('Provider code: E_4711');
  });

  test('unknown outcome, late proof, second payment: explains each', async () => {
    await createHosted();
    await execute(startRedirect('a0'));
    await execute({ type: 'abandon_attempt', attemptId: 'a0' });
    const member = await signedIn('viewer');
    expect(part(await pageOf(member), 'attention')).toContain('Do not deliver anything yet');
    await execute(startRedirect('a1'));
    await execute({ type: 'abandon_payment' });
    await execute(resolveAttempt('a0', 'succeeded'));
    await execute(resolveAttempt('a1', 'succeeded'));
    await execute(resolveAttempt('a0', 'failed'));
    await execute({ type: 'report_callback', attemptId: 'a1' });
    const html = await pageOf(member);
    const attention = part(html, 'attention');
    for (const title of [
      'Paid late',
      'Paid twice',
      'The provider contradicted itself',
      'A callback was rejected',
      'Attempt 2,',
    ]) {
      expect(attention).toContain(title);
    }
    expect(attention).not.toContain('Outcome unknown');
    expect(part(html, 'events')).toMatch(/PAYMENT_SUCCESS .*PAYMENT_FAILED Superseded/);
    expect(part(html, 'timeline')).toContain('Paid late');
  });

  test('expired: applies an expiry that is due when the page is read', async () => {
    await createHosted();
    advance(EXPIRE_IN_MS);
    const html = await pageOf(await signedIn());
    expect(headOf(html)).toContain('Payment order-1 Expired Webhook Queued ETB 100.50');
    expect(historyOf(html).at(-1)).toEqual(['Time limit reached Open › Expired', 'Timer']);
    expect(html).not.toContain('/cancel"');
  });

  test('resolved by the operator: shows by whom and why', async () => {
    await createHosted();
    await execute(startRedirect('a0', Date.now() + 1_000));
    advance(2_000);
    await execute({
      type: 'resolve_manually',
      attemptId: 'a0',
      resolutionId: 's-1',
      outcome: { type: 'succeeded', receipt: 'RCPT77' },
      operator: 'Sara',
      isVerified: true,
      secondOperatorAboveMinor: null,
      checkAtMs: null,
      note: 'seen in the statement',
    });
    const html = await pageOf(await signedIn());
    expect(historyOf(html).at(-1)?.[1]).toBe('Operator');
    expect(part(html, 'timeline')).toContain(
      'Operator: Sara (name proved) · seen in the statement',
    );
    expect(part(html, 'attempts')).toContain('RCPT77');
    expect(part(html, 'attempts')).toContain(
      'the operator, manually · The provider has not confirmed it yet',
    );
  });

  test('left by the customer: says so instead of a failure', async () => {
    await createHosted();
    await execute({ type: 'abandon_payment' });
    const head = headOf(await pageOf(await signedIn()));
    expect(head).toMatch(/Payment order-1 Left .*The customer left without paying\./);
    expect(head).not.toContain('Failed');
  });

  test('failed express payment: shows the reason', async () => {
    await createExpress({ ...SIMULATED_FAILURE, description: 'Tea', phoneNumber: '911234567' });
    advance(2_000);
    await fireAlarm();
    const html = await pageOf(await signedIn());
    expect(headOf(html)).toMatch(/ Failed .* The provider or the bank declined it\./);
    expect(part(html, 'ids')).toContain('Express payment');
    expect(part(html, 'facts')).toContain('Description Tea');
    expect(historyOf(html)[1]).toEqual(['Attempt started Open › In progress', 'Merchant']);
  });

  test('split: shows banks, accounts, shares and the rest', async () => {
    await env.DB.prepare(
      `INSERT OR REPLACE INTO banks (code, name, supports_withdrawal) VALUES ('CBE', 'Commercial Bank', 1)`,
    ).run();
    await payHosted({
      items: [{ name: 'Coffee', quantity: 2, type: 'PHYSICAL_PRODUCT', price: 50.25 }],
      splitPayment: [
        { amount: 12.5, bank: 'CBE', splitType: 'PERCENTAGE', creditAccount: '1000123' },
      ],
    });
    const html = await pageOf(await signedIn());
    expect(part(html, 'splits')).toContain('Commercial Bank');
    expect(part(html, 'splits')).toMatch(/1000123 12\.50% ETB 12\.56/);
    expect(part(html, 'facts')).toMatch(
      /You receive ETB 99\.49 You receive after splits ETB 86\.93/,
    );
    expect(part(html, 'items')).toMatch(/Coffee 2 ETB 50\.25/);
  });

  test('deleted: shows what the book still has', async () => {
    await payHosted();
    merchantServer();
    await consumeAll(caught);
    advance(401 * DAY_MS);
    await fireAlarm();
    const html = await pageOf(await signedIn());
    expect(html).toContain('deleted 400 days after it ended');
    expect(html).toMatch(/ETB\s100\.50/);
  });

  test('speaks Amharic', async () => {
    await payHosted();
    const html = await pageOf(await signedIn(), PAGE, 'am');
    expect(html).toContain('ክፍያ order-1');
    expect(historyOf(html)[0]).toEqual(['ክፍያው ተፈጠረ ያልተከፈለ', 'ነጋዴ']);
  });
});

test('escapes foreign text and names invisible characters', async () => {
  await createHosted({ customerInfo: { name: '<img src=x onerror=alert(1)>' } });
  await execute({ type: 'abandon_payment' });
  merchantServer(() => new Response('<script>1</script>\nsafe\u202etxt\u0007', { status: 500 }));
  await consumeAll(caught);
  const html = await pageOf(await signedIn());
  expect(html).not.toContain('<img');
  expect(html).not.toContain('<script>1');
  expect(html).toContain('&lt;script>1&lt;/script>\nsafe[U+202E]txt');
});

describe('events', () => {
  async function failedOnce(): Promise<void> {
    await payHosted();
    merchantServer(() => new Response('no stock', { status: 503 }));
    await consumeAll(caught);
  }

  test('show every try and the time of the next one', async () => {
    await failedOnce();
    const html = await pageOf(await signedIn('viewer'));
    const events = part(html, 'events');
    expect(events).toMatch(/PAYMENT_SUCCESS Waiting to retry/);
    expect(events).toContain('Next delivery attempt');
    expect(events).toMatch(/HTTP 503 \d+ ms .*no stock/);
    expect(events).toContain('The last attempt failed. It will be retried automatically.');
    expect(html).toContain(`href="#event-${(await lastEvent()).sequence}-0"`);
    expect(headOf(html)).toContain('Webhook Waiting to retry HTTP 503');
    expect(html).not.toContain('/resend"');
  });

  test('arrive when a developer resends one, and the audit log names the developer', async () => {
    await failedOnce();
    const member = await signedIn('developer');
    const html = await pageOf(member);
    const action = /action="([^"]+\/resend)"/.exec(html)?.[1] ?? '';
    expect(html).toContain('aria-label="Resend PAYMENT_SUCCESS"');
    const { sequence, eventId } = await lastEvent();
    expect(action).toBe(`${PAGE}/events/${sequence}/resend`);
    const arrivals = merchantServer();
    const response = await submit(member, action);
    // The page opens at the event, which says what was done.
    const place = `event-${sequence}-0`;
    const location = `${PAGE}?event=${place}&done=event_resent`;
    expect(response.headers.get('location')).toBe(`${location}#${place}`);
    await consumeAll(caught);
    expect(arrivals).toHaveLength(1);
    expect((await lastEvent()).deliveryStatus).toBe('delivered');
    const after = await pageOf(member, location);
    expect(part(after, 'events')).toMatch(/Delivered Resend The event is being resent\./);
    expect(after).toContain(`id="${place}"`);
    expect(await auditLog()).toEqual([
      expect.objectContaining({
        action: 'event.resend_requested',
        target: eventId,
        actor_id: member.memberId,
        merchant_id: ALPHA.id,
        detail: JSON.stringify({ uniqueId: 'order-1', sequence }),
      }),
    ]);
  });

  test('are not resent while on their way or superseded', async () => {
    await createHosted();
    await execute(startRedirect('a0'));
    await execute({ type: 'abandon_attempt', attemptId: 'a0' });
    await execute({ type: 'abandon_payment' });
    const { sequence: failed } = await lastEvent();
    const member = await signedIn();
    const path = (sequence: number) => `${PAGE}/events/${sequence}/resend`;
    // The event's own page explains why.
    expect((await submit(member, path(failed))).headers.get('location')).toMatch(
      new RegExp(`^/dashboard/sandbox/webhooks/events/order-1/${failed}\\?done=(?!resent)`),
    );
    await execute(resolveAttempt('a0', 'succeeded'));
    const { sequence: paid } = await lastEvent();
    expect(paid).not.toBe(failed);
    expect(await pageOf(member)).not.toContain('/resend"');
    await submit(member, path(failed));
    expect((await clientOf().events()).map(({ deliveryStatus }) => deliveryStatus)).toEqual([
      'superseded',
      'queued',
    ]);
    expect(await auditLog()).toEqual([]);
  });

  test.each(['0', '99', '-1', '1e1', 'x', '99999999999999999999'])(
    'do not include %s: its resend answers 404',
    async (sequence) => {
      await failedOnce();
      const response = await submit(await signedIn(), `${PAGE}/events/${sequence}/resend`);
      expect(response.status).toBe(404);
      expect(caught.webhooks).toEqual([]);
      expect(await auditLog()).toEqual([]);
    },
  );
});

describe('cancel', () => {
  test('cancels an open payment once', async () => {
    await createHosted();
    const member = await signedIn('developer');
    expect(await pageOf(member)).toContain(`action="${PAGE}/cancel"`);
    for (let clicks = 0; clicks < 2; clicks += 1) {
      const response = await submit(member, `${PAGE}/cancel`);
      expect(response.headers.get('location')).toBe(`${PAGE}?done=payment_canceled`);
    }
    expect((await intentOf()).status).toBe('canceled');
    expect(await auditLog()).toEqual([
      expect.objectContaining({ action: 'payment.cancel_requested', target: 'order-1' }),
    ]);
    const html = await pageOf(member, `${PAGE}?done=payment_canceled`);
    expect(html).toContain('The payment was canceled');
    const sql = 'SELECT name FROM members WHERE id = ?';
    const name = await env.BACK_OFFICE_DB.prepare(sql).bind(member.memberId).first<string>('name');
    expect(part(html, 'timeline')).toContain(`${name} `);
    expect(html).not.toContain('/cancel"');
  });

  test('by a program names its key, which is in no audit log', async () => {
    await createHosted();
    await call('/api/v1/payment/sandbox/intent/cancel/order-1', { method: 'POST' });
    expect(part(await pageOf(await signedIn()), 'timeline')).toContain('API key: valid');
    expect(await auditLog()).toEqual([]);
  });

  test.each([
    [
      'one that is being paid',
      [startRedirect('a0')],
      'is paying right now',
      'processing',
      'attempt_in_flight',
    ],
    [
      'one that has ended',
      [startRedirect('a0'), resolveAttempt('a0', 'succeeded')],
      'has already ended',
      'succeeded',
      'not_open',
    ],
  ])(
    '%s: explains the refusal and changes nothing',
    async (_name, commands, reason, status, why) => {
      await createHosted();
      await execute(...commands);
      const response = await submit(await signedIn(), `${PAGE}/cancel`);
      expect(response.status).toBe(409);
      expect(await response.text()).toContain(reason);
      expect((await intentOf()).status).toBe(status);
      expect(await auditLog()).toMatchObject([
        { action: 'payment.cancel_requested', detail: '{}' },
        { action: 'payment.cancel_requested', detail: JSON.stringify({ refused: why }) },
      ]);
    },
  );
});

describe('access', () => {
  test('hides the secrets of a callback URL from a viewer', async () => {
    await createHosted({ callbackUrl: 'https://shop.example.com/hook/S3cret?token=S3cret' });
    expect(part(await pageOf(await signedIn('viewer')), 'ids')).toMatch(
      /https:\/\/shop\.example\.com(?!\/)/,
    );
    expect(await pageOf(await signedIn('viewer'))).not.toContain('S3cret');
    expect(part(await pageOf(await signedIn('developer')), 'ids')).toContain('/hook/S3cret?token');
  });

  test('shows no button to a viewer', async () => {
    await payHosted();
    merchantServer();
    await consumeAll(caught);
    const main = (await pageOf(await signedIn('viewer'))).split('<main')[1] ?? '';
    // Copying changes nothing.
    expect(main).not.toMatch(/<button(?![^>]*data-copy)/);
  });

  test('answers 404 for an id of an odd form, and creates no object', async () => {
    await payHosted();
    const { sequence } = await lastEvent();
    merchantServer();
    await consumeAll(caught);
    const alpha = await signedIn('owner', ALPHA);
    const beta = await signedIn('owner', BETA);
    const odd: [SignedIn, string][] = [
      [alpha, `/dashboard/sandbox/payments/${'x'.repeat(2_000)}`],
      [alpha, '/dashboard/sandbox/payments/%252e%252e%252fmer_beta'],
      [beta, '/dashboard/sandbox/payments/..%2fmer_alpha%2forder-1'],
    ];
    for (const [member, path] of odd) {
      expect((await visit(member, path)).status, path).toBe(404);
      expect((await submit(member, `${path}/cancel`)).status, path).toBe(404);
      expect((await submit(member, `${path}/events/${sequence}/resend`)).status, path).toBe(404);
    }
    expect(await objectsWithRows()).toBe(1);
    expect((await intentOf()).status).toBe('succeeded');
    expect(caught.webhooks).toEqual([]);
    expect(await auditLog()).toEqual([]);
  });

  test('lets members of a suspended merchant look and search, and offers no change', async () => {
    await createHosted();
    const owner = await signedIn('owner');
    await env.DB.prepare("UPDATE merchants SET status = 'suspended'").run();
    expect(await pageOf(owner)).not.toContain('/cancel"');
    const list = PAGE.replace('/order-1', '');
    expect((await found(owner, list, 'order-1')).status).toBe(200);
  });
});

/** Objects with storage: a read alone creates none. */
async function objectsWithRows(): Promise<number> {
  const tables = await Promise.all(
    reachedObjects().map((id) =>
      runInDurableObject(env.PAYMENT_INTENT.get(id), (_instance, { storage }) =>
        storage.sql.exec("SELECT name FROM sqlite_master WHERE type = 'table'").toArray(),
      ),
    ),
  );
  return tables.filter((names) => names.length > 0).length;
}
