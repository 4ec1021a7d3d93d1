import { env } from 'cloudflare:workers';
import { describe, expect, it, test, vi } from 'vitest';
import { DESK_ROUTES } from '../../../back-office/operator/desk/routes.ts';
import { insertDeadLetter, readStored } from '../../../src/control/dead-letters/store.ts';
import { configOf } from '../../../src/engine/config.ts';
import { ID_CHARACTERS_MAX } from '../../../src/engine/domain/identifiers.ts';
import { METHODS } from '../../../src/engine/domain/method.ts';
import { PROGRESS_SHOWN_AFTER_MS } from '../../../src/engine/domain/schedule.ts';
import { METHOD_NAMES } from '../../../src/engine/i18n/methods.ts';
import { clockText } from '../../../src/kit/i18n/time-text.ts';
import { runBatch } from '../../../src/kit/platform/database.ts';
import { startAttempt } from '../../support/intents.ts';
import { projectionMessage } from '../book/fixture.ts';
import { auditLog, signedIn } from '../dashboard/support.ts';
import { applyToBook, booksReport } from '../support/book.ts';
import {
  ALPHA,
  advance,
  BETA,
  call,
  clientOf,
  consume,
  consumeAll,
  createHosted,
  execute,
  fireAlarm,
  HOUR_MS,
  intentOf,
  MINUTE_MS,
  merchantServer,
  payHosted,
  resolveAttempt,
  startRedirect,
  tenantOf,
  useGateway,
} from '../support.ts';
import {
  deskOf,
  hiddenFields,
  operate,
  operateApi,
  project,
  refundByHand,
  unresolved,
} from './support.ts';

/**
 * Goal: support staff find what needs attention and change it in a browser, each change behind a
 * confirmation page and with their name in the audit log; no other page can make them do it.
 * Method: pages and forms as a browser sends them, on payments brought into each state.
 */

const caught = useGateway();

const NAME = 'Abebe';
const PAYMENT = `/operator/payments/sandbox/${ALPHA.id}/order-1`;
const SANDBOX = '/operator?environment=sandbox';
const MERCHANT = `/operator/merchants/${ALPHA.id}`;

/** As the form of a bank sends it. */
const NEW_BANK = { code: 'NEWBANK', name: 'New Bank', supportsWithdrawal: 'yes' };

const { open, pageOf, post, send, change } = deskOf(NAME);

describe('every form of the desk', () => {
  const FORMS = DESK_ROUTES.filter(({ method }) => method === 'POST').map(({ path }) => path);

  async function token(name = NAME): Promise<string> {
    return hiddenFields(await deskOf(name).pageOf('/operator/payments')).csrf ?? '';
  }

  const SAME = { 'sec-fetch-site': 'same-origin' };

  it.each<[string, Record<string, string>, () => Promise<string> | null]>([
    ['from another site', { 'sec-fetch-site': 'cross-site' }, token],
    ['from a sibling host', { 'sec-fetch-site': 'same-site' }, token],
    ['from another origin, by an old browser', { origin: 'https://evil.example' }, token],
    ['without a token', SAME, () => null],
    ['with a token of another operator', SAME, () => token('Sara')],
    ['with a forged token', SAME, async () => `${(await token()).slice(0, -4)}AAAA`],
    ['from a page of yesterday', SAME, () => token().finally(() => advance(13 * HOUR_MS))],
    ['in another format', { ...SAME, 'content-type': 'text/plain' }, token],
  ])('%s is refused before it reaches D1 or a payment', async (_name, headers, makeToken) => {
    const csrf = await makeToken();
    const fields: Record<string, string> = csrf === null ? {} : { csrf };
    const prepare = vi.spyOn(env.DB, 'prepare');
    const object = vi.spyOn(env.PAYMENT_INTENT, 'get');
    expect(FORMS.length).toBeGreaterThan(6);
    for (const path of FORMS) {
      const response = await post(path, fields, headers);
      expect([path, response.status]).toEqual([path, 403]);
      expect(await response.text()).toContain('This form is out of date');
    }
    // A CSV file of another test's member may still be ending in the background.
    const queries = prepare.mock.calls.filter(([sql]) => !sql.includes('exporting_until_ms'));
    expect(queries).toEqual([]);
    expect(object).not.toHaveBeenCalled();
  });

  test('larger than any form is refused', async () => {
    const response = await post(`${MERCHANT}/suspend`, { reason: 'x'.repeat(9_000) });
    expect(response.status).toBe(413);
  });
});

describe('what needs attention', () => {
  test('shows reference, amount, method, merchant and age, and leads to the payment', async () => {
    await unresolved(caught);
    advance(3 * HOUR_MS);
    const html = await pageOf(SANDBOX);
    for (const part of [
      'Outcome unknown',
      'order-1',
      'REFA1',
      'ETB',
      '100.50',
      'telebirr',
      ALPHA.name,
      '3 h',
      `href="${PAYMENT}"`,
    ]) {
      expect(html).toContain(part);
    }
  });

  test('leads in three taps from the list to the record, which the page of the payment begins with', async () => {
    const linkIn = (html: string, text: string) => {
      const links = [...html.matchAll(/<a [^>]*href="([^"]+)"[^>]*>(?:<[^>]+>)*([^<]*)/g)];
      return links.find(([, , shown]) => shown === text)?.[1] ?? `no link to ${text}`;
    };
    await unresolved(caught);
    const list = await pageOf(SANDBOX);
    expect(list).toContain('Look it up with the provider by its reference');
    const html = await pageOf(linkIn(list, 'order-1'));
    const [beginning = '', rest] = html.split('class="side-by-side"');
    expect(beginning).toContain('REFA1');
    expect(beginning.indexOf('Record as not paid')).toBeLessThan(
      beginning.indexOf('Mark as reviewed'),
    );
    expect(rest).not.toContain('Record as');
    const fields = { receipt: 'R-77', note: 'Seen in the portal' };
    const done = await change(linkIn(beginning, 'Record as paid'), fields);
    expect(await pageOf(done)).not.toContain('id="attention"');
    await project(caught);
    expect(await pageOf(SANDBOX)).toContain('Nothing needs attention');
  });

  test('opens although a payment does not answer', async () => {
    await unresolved(caught);
    vi.spyOn(env.PAYMENT_INTENT, 'get').mockImplementation(() => {
      throw new Error('object away');
    });
    const html = await pageOf(SANDBOX);
    for (const part of ['order-1', 'REFA1', '100.50', 'telebirr']) {
      expect(html).toContain(part);
    }
  });

  test('shows the amount of an undelivered event’s payment, and leads to its events', async () => {
    merchantServer(() => new Response('no', { status: 410 }));
    await createHosted();
    await execute({ type: 'abandon_payment' });
    await consume('kefel-webhooks', caught.webhooks.splice(0));
    await project(caught);
    const html = await pageOf(SANDBOX);
    for (const part of ['Webhook failed', '100.50', ALPHA.name, `href="${PAYMENT}#events"`]) {
      expect(html).toContain(part);
    }
    expect(await pageOf(PAYMENT)).toContain('HTTP 410');
  });

  it.each([
    ['asks again at', 2 * MINUTE_MS],
    ['could pay until', null],
  ])(
    'leaves an attempt to Kefel until the deadline after the customer left: %s',
    async (words, waitMs) => {
      const deadlineAtMs = Date.now() + 5 * MINUTE_MS;
      await createHosted();
      const checkAtMs = waitMs === null ? null : Date.now() + waitMs;
      const start = startAttempt('a1', { deadlineAtMs, checkAtMs });
      await execute(start, { type: 'abandon_attempt', attemptId: 'a1' });
      await project(caught);
      expect(await pageOf(SANDBOX)).toContain('Nothing needs attention');
      const early = await pageOf(PAYMENT);
      expect(early).toContain(
        `${words} ${clockText(checkAtMs ?? deadlineAtMs)}; nothing to do until`,
      );
      expect(early).not.toContain('id="attention"');
      advance(6 * MINUTE_MS);
      await booksReport();
      expect(await pageOf(SANDBOX)).toContain('Outcome unknown');
      expect(await pageOf(PAYMENT)).toContain('id="attention"');
    },
  );

  test('takes one decision about several items, and says which were left', async () => {
    const group = `/operator/attention/sandbox/unresolved_attempt/${ALPHA.id}`;
    const names = ['order-1', 'order-2', 'order-3'];
    for (const uniqueId of names) {
      const client = clientOf(uniqueId);
      await createHosted({ paymentIntentUniqueId: uniqueId });
      await client.execute([startRedirect(uniqueId.slice(-1), Date.now() + 5 * MINUTE_MS)]);
      advance(6 * MINUTE_MS);
      await fireAlarm(uniqueId);
    }
    await project(caught);
    const list = await pageOf(SANDBOX);
    expect([list.includes('3 items'), list.includes('order-1')]).toEqual([true, false]);
    expect(list).toContain(`href="${group}"`);
    const items = await pageOf(`${group}?all=1`);
    const ids = [...items.matchAll(/name="item" value="([^"]+)" checked/g)].map(([, id]) => id);
    expect(ids).toHaveLength(3);

    const query = new URLSearchParams(ids.map((id) => ['item', id ?? '']));
    const question = `${group}/unpaid?${query}`;
    const asked = await pageOf(question);
    for (const part of [...names, 'REF1', '100.50', 'telebirr', 'Checkout page']) {
      expect(asked).toContain(part);
    }
    // Meanwhile the provider reports one of them as paid, and the list does not know yet.
    await clientOf('order-2').execute([resolveAttempt('2', 'succeeded')]);
    const fields = { ...hiddenFields(asked), reason: 'timed_out', note: 'Not in the portal' };
    const done = await pageOf(await send(question, fields));
    expect(done).toContain('Some were left as they were');
    expect(done).toMatch(/order-2<\/bdi>: The attempt has an outcome already/);
    expect([...done.matchAll(/<li><bdi>/g)]).toHaveLength(1);
    const statuses = names.map(async (name) => (await intentOf(name)).attempts[0]?.status);
    expect(await Promise.all(statuses)).toEqual(['failed', 'succeeded', 'failed']);
    const entries = (await auditLog()).filter(({ action }) => action === 'attempt.resolved');
    expect(entries.map(({ target }) => target).sort()).toEqual([...names, 'order-2'].sort());
  });

  test('reviews several payments, but none that has more to review than its row showed', async () => {
    await unresolved(caught);
    const group = `/operator/attention/sandbox/unresolved_attempt/${ALPHA.id}`;
    const [, id = ''] = /name="item" value="([^"]+)"/.exec(await pageOf(group)) ?? [];
    const review = `${group}/review?item=${id}`;
    const fields = { ...hiddenFields(await pageOf(review)), note: 'Asked telebirr' };
    await execute(resolveAttempt('a1', 'succeeded'), resolveAttempt('a1', 'failed'));
    await project(caught);
    expect(await pageOf(await send(review, fields))).toContain('something new about it');
    const next = `/operator/attention/sandbox/anomaly/${ALPHA.id}`;
    const [, nextId = ''] = /name="item" value="([^"]+)"/.exec(await pageOf(next)) ?? [];
    const done = await change(`${next}/review?item=${nextId}`, { note: 'Asked again' });
    expect(await pageOf(done)).toContain('All were marked as reviewed');
    expect(await pageOf(SANDBOX)).toContain('Nothing needs attention');
    expect(await pageOf(await change(`${next}/review?item=${nextId}`, { note: 'x' }))).toContain(
      'not on the list any more',
    );
  });

  test('sends stuck events again, and asks for at least one', async () => {
    merchantServer(() => new Response('no', { status: 410 }));
    await createHosted();
    await execute({ type: 'abandon_payment' });
    await consume('kefel-webhooks', caught.webhooks.splice(0));
    await project(caught);
    const group = `/operator/attention/sandbox/delivery_dead/${ALPHA.id}`;
    const none = await open(`${group}/resend`);
    expect(none.status).toBe(303);
    expect(await pageOf(none.headers.get('location') ?? '')).toContain('Choose at least one');
    const [, id = ''] = /name="item" value="([^"]+)"/.exec(await pageOf(group)) ?? [];
    const done = await change(`${group}/resend?item=${id}`);
    expect(await pageOf(done)).toContain('All are being sent again');
    expect(caught.webhooks).toHaveLength(1);
    expect((await auditLog()).map(({ action }) => action)).toEqual(['event.resend_requested']);
  });

  test('leads to dead letters, and the navigation counts them', async () => {
    await storeLetter('letter-1');
    const html = await pageOf('/operator');
    expect(html).toContain('href="/operator/dead-letters/letter-1"');
    expect(html).toContain('Dead letters (1)');
    expect(html).toContain('Needs attention (1)');
  });

  it.each(['/operator', '/operator/merchants', '/operator/audit', '/operator/dead-letters'])(
    '%s rejects a cursor that is none with a page',
    async (path) => {
      const response = await open(`${path}?cursor=x`);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        400,
        'text/html; charset=utf-8',
      ]);
    },
  );
});

describe('a payment', () => {
  test('is shown with attempts, history, events and advice, and without the phone', async () => {
    await unresolved(caught);
    await createHosted({ paymentIntentUniqueId: 'order-2' });
    const start = startRedirect('a2');
    if (start.type !== 'start_attempt') {
      throw new Error('not a start');
    }
    const phone = '251911223344';
    await clientOf('order-2').execute([{ ...start, attempt: { ...start.attempt, phone } }]);
    const other = await pageOf(PAYMENT.replace('order-1', 'order-2'));
    expect(other).toContain('REFA2');
    expect(other).not.toContain('911223344');
    const html = await pageOf(PAYMENT);
    for (const part of [
      'record its outcome',
      'Attempt 1: telebirr',
      'Time limit reached',
      `href="${PAYMENT}/attempts/REFA1/paid"`,
      `href="${PAYMENT}/attempts/REFA1/unpaid"`,
      `href="${MERCHANT}"`,
    ]) {
      expect(html).toContain(part);
    }
  });

  test('names each anomaly and its attempt', async () => {
    await createHosted();
    await execute(startRedirect('a1'));
    await execute({ type: 'abandon_attempt', attemptId: 'a1' });
    await execute(startRedirect('a2'));
    await execute(resolveAttempt('a1', 'succeeded'));
    await execute(resolveAttempt('a2', 'succeeded'));
    const html = await pageOf(PAYMENT);
    expect(html).toContain('Paid twice: Attempt 2');
    expect(html).toContain('Refund the second one unless the merchant has');
    await project(caught);
    expect(await pageOf(SANDBOX)).toContain('Refund the second one unless the merchant has');
  });

  test('offers "not paid" only once the window has passed, and says when', async () => {
    await createHosted();
    await execute(startRedirect('a1'));
    const html = await pageOf(PAYMENT);
    expect(html).toContain(`${PAYMENT}/attempts/REFA1/paid`);
    expect(html).not.toContain('/unpaid');
    expect(html).toContain('It can be recorded as not paid after');
  });

  it.each([
    `/operator/payments/sandbox/${BETA.id}/order-1`,
    `/operator/payments/production/${ALPHA.id}/order-1`,
    `/operator/payments/nowhere/${ALPHA.id}/order-1`,
    `${PAYMENT}/attempts/REFA2/paid`,
    `${PAYMENT}/attempts/REFA1/maybe`,
    '/operator/merchants/unknown',
    '/operator/merchants/unknown/suspend',
    '/operator/dead-letters/none',
    '/operator/dead-letters/none/discard',
    '/operator/nothing',
  ])('%s is a page that says 404', async (path) => {
    await unresolved(caught);
    const response = await open(path);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      404,
      'text/html; charset=utf-8',
    ]);
    expect(await response.text()).toContain('Page not found');
  });

  test('unknown paths of the API stay JSON', async () => {
    const { status, envelope } = await operateApi('/nothing');
    expect([status, envelope.status]).toEqual([404, 404]);
  });
});

describe('recording an outcome', () => {
  const PAID = `${PAYMENT}/attempts/REFA1/paid`;
  const UNPAID = `${PAYMENT}/attempts/REFA1/unpaid`;

  it.each([
    [PAID, { receipt: 'R-77', note: 'Seen in the portal' }, 'succeeded', 'succeeded'],
    [UNPAID, { reason: 'timed_out', note: 'Not in the portal' }, 'failed', 'open'],
  ])('%s', async (path, fields, attempt, status) => {
    await unresolved(caught);
    const html = await pageOf(path);
    expect(html).toContain('REFA1');
    expect(html).toContain('100.50');
    expect(await auditLog()).toEqual([]);
    expect(await change(path, fields)).toBe(`${PAYMENT}?done=resolved`);
    expect(await intentOf()).toMatchObject({ status, attempts: [{ status: attempt }] });
    const [entry] = await auditLog();
    expect(entry).toMatchObject({
      action: 'attempt.resolved',
      actor_kind: 'operator',
      actor_id: NAME,
      target: 'order-1',
    });
    expect(await pageOf(`${PAYMENT}?done=resolved`)).toContain('The outcome was recorded');
    expect((await clientOf().history()).at(-1)?.detail).toMatchObject({
      operator: NAME,
      note: fields.note,
    });
  });

  test('the same form sent twice is one decision', async () => {
    await unresolved(caught);
    const fields = { ...hiddenFields(await pageOf(PAID)), receipt: 'R-77', note: 'Seen' };
    expect(await send(PAID, fields)).toBe(await send(PAID, fields));
    expect(await auditLog()).toHaveLength(1);
    expect((await clientOf().events()).map(({ type }) => type)).toEqual(['payment_succeeded']);
  });

  test('the address hides what the member typed', async () => {
    await unresolved(caught);
    const location = await change(PAID, { note: 'Asked 0911234567' });
    expect(await pageOf(location)).toContain('value="Asked 0911234567"');
    expect(location).not.toMatch(/Asked|0911234567/);
  });

  test('a link on another site fills nothing in', async () => {
    await unresolved(caught);
    const response = await operate(`${PAID}?receipt=FORGED&note=x&refused=other`, undefined, {
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    const html = await response.text();
    expect(html).not.toContain('value="FORGED"');
    expect(html).not.toContain('was refused');
  });
});

describe('a form with a mistake', () => {
  const attempt = (form: string) => async () => {
    await unresolved(caught);
    return `${PAYMENT}/attempts/REFA1/${form}`;
  };
  const merchant = (form: string) => async () => `${MERCHANT}/${form}`;
  const refund = (form: string) => async () => {
    await refundByHand();
    return `${PAYMENT}/refunds/${(await intentOf()).refunds[0]?.reference}/${form}`;
  };
  const request = async () => {
    await payHosted();
    return `${PAYMENT}/refund/${(await intentOf()).attempts[0]?.reference}`;
  };
  const noDay = { refundAgeDaysMax: '30', refundDailyMaxMinor: '' };

  it.each<[string, () => Promise<string>, Record<string, string>]>([
    ['receipt', attempt('paid'), { note: 'Seen' }],
    ['receipt', attempt('paid'), { receipt: 'R 77', note: 'Seen' }],
    ['note', attempt('paid'), { receipt: 'R-77' }],
    ['note', attempt('unpaid'), { reason: 'declined', note: 'x'.repeat(501) }],
    ['reason', attempt('unpaid'), { reason: 'bored', note: 'Seen' }],
    ['reason', merchant('suspend'), { reason: ' ' }],
    ['refundAgeDaysMax', merchant('refund-limits'), { ...noDay, refundAgeDaysMax: '0' }],
    ['refundAgeDaysMax', merchant('refund-limits'), { ...noDay, refundAgeDaysMax: 'many' }],
    ['refundDailyMaxMinor', merchant('refund-limits'), { ...noDay, refundDailyMaxMinor: '1.005' }],
    ['refundDailyMaxMinor', merchant('refund-limits'), { ...noDay, refundDailyMaxMinor: '-1' }],
    ['basisPoints', merchant('sandbox/methods/CBE/commission'), { basisPoints: '100.01' }],
    [
      'fixedMinor',
      merchant('sandbox/methods/CBE/commission'),
      { basisPoints: '1', fixedMinor: '-1' },
    ],
    ['code', async () => '/operator/add-bank', { ...NEW_BANK, code: 'new bank' }],
    ['name', async () => '/operator/add-bank', { ...NEW_BANK, name: '' }],
    [
      'supportsWithdrawal',
      async () => '/operator/add-bank',
      { ...NEW_BANK, supportsWithdrawal: '' },
    ],
    ['name', async () => '/operator/banks/CBE/change', { name: 'x'.repeat(101) }],
    ['name', async () => '/operator/add-merchant', { id: 'abebe' }],
    ['id', async () => '/operator/add-merchant', { name: 'Abebe', id: 'abebe coffee' }],
    [
      'commissions',
      async () => '/operator/add-merchant',
      { name: 'A', id: 'a', commissions: '101' },
    ],
    [
      'commissions',
      async () => '/operator/add-merchant',
      { name: 'A', id: 'a', commissions: '2,5' },
    ],
    ['reference', refund('returned'), { note: 'Seen' }],
    ['reference', refund('returned'), { reference: 'RF 9', note: 'Seen' }],
    ['note', refund('not-returned'), {}],
    ['amountMinor', request, { amountMinor: 'all', reason: 'x' }],
    ['reason', request, { amountMinor: '40' }],
  ])('marks %s, and comes back with what was typed', async (wrong, scene, fields) => {
    const path = await scene();
    const html = await pageOf(await change(path, fields));
    expect(html).toContain(`id="${wrong}-error"`);
    expect(html).toContain('Correct the marked fields');
    // A select box shows only what it offers.
    const shown = Object.values(fields).filter((value) => !['bored', '', ' '].includes(value));
    for (const value of shown) {
      expect(html).toContain(`value="${value}"`);
    }
    expect(await auditLog()).toEqual([]);
  });
});

test('a review takes the payment off the list and shows who reviewed it', async () => {
  await unresolved(caught);
  const location = await change(`${PAYMENT}/review`, { note: 'Asked telebirr' });
  const html = await pageOf(location);
  expect(html).toContain('Marked as reviewed');
  expect(html).toContain('Asked telebirr');
  expect(await pageOf(SANDBOX)).toContain('Nothing needs attention');
  expect((await auditLog()).map(({ action, actor_id }) => [action, actor_id])).toEqual([
    ['payment.reviewed', NAME],
  ]);
});

test('a review covers only what its page showed: what comes later is listed again', async () => {
  await unresolved(caught);
  const review = `${PAYMENT}/review`;
  const html = await pageOf(review);
  expect(html).toContain('Outcome unknown');
  // While the page is open, the provider contradicts itself.
  await execute(resolveAttempt('a1', 'succeeded'), resolveAttempt('a1', 'failed'));
  expect((await intentOf()).anomalies).toMatchObject([{ kind: 'contradicting_failure' }]);
  await project(caught);
  const done = await send(review, { ...hiddenFields(html), note: 'Asked telebirr' });
  expect(done).toBe(`${PAYMENT}?done=reviewed`);
  expect(await pageOf(SANDBOX)).toContain('order-1');
  await change(review, { note: 'Asked again' });
  expect(await pageOf(SANDBOX)).toContain('Nothing needs attention');
});

describe('a merchant', () => {
  test('is shown with members, methods and ways to act', async () => {
    const html = await pageOf(MERCHANT);
    for (const part of [ALPHA.id, 'telebirr', 'API keys', `${MERCHANT}/suspend`]) {
      expect(html).toContain(part);
    }
    expect(html).not.toContain('/reactivate');
  });

  test('is suspended and reactivated, with name and reason in the audit log', async () => {
    const suspended = await change(`${MERCHANT}/suspend`, { reason: 'As agreed' });
    expect(await pageOf(suspended)).toContain('The merchant is suspended');
    expect(await pageOf(MERCHANT)).toContain('/reactivate');
    const active = await change(`${MERCHANT}/reactivate`, { reason: 'Settled' });
    expect(await pageOf(active)).toContain('The merchant is active');
    expect(
      (await auditLog()).map(({ action, actor_id, merchant_id, detail }) => [
        action,
        actor_id,
        merchant_id,
        JSON.parse(detail).reason,
      ]),
    ).toEqual([
      ['merchant.suspended', NAME, ALPHA.id, 'As agreed'],
      ['merchant.reactivated', NAME, ALPHA.id, 'Settled'],
    ]);
  });

  test('gets limits for refunds, and the form shows them', async () => {
    const path = `${MERCHANT}/refund-limits`;
    expect(await pageOf(path)).toContain('value="180"');
    const limits = { refundAgeDaysMax: '30', refundDailyMaxMinor: '50,000.50' };
    const done = await pageOf(await change(path, limits));
    expect(done).toContain('The limits for refunds hold from now on');
    expect(done).toContain('50000.50');
    expect(await pageOf(path)).toContain('value="50000.50"');
    await change(path, { refundAgeDaysMax: '30', refundDailyMaxMinor: '' });
    expect((await auditLog()).map(({ detail }) => JSON.parse(detail))).toEqual([
      { refundAgeDaysMax: 30, refundDailyMaxMinor: 5_000_050 },
      { refundAgeDaysMax: 30, refundDailyMaxMinor: null },
    ]);
  });

  test('is offered a method, and the method is withdrawn, with its commission', async () => {
    const path = `${MERCHANT}/production/methods/TELE_BIRR`;
    expect(await pageOf(MERCHANT)).toContain(`href="${path}/withdraw"`);
    const withdrawn = await pageOf(await change(`${path}/withdraw`));
    expect(withdrawn).toContain('The change holds for new payments');
    expect(withdrawn).toContain(`href="${path}/offer"`);
    const question = await pageOf(`${path}/offer`);
    for (const part of ['Production', 'No secret', 'telebirr']) {
      expect(question).toContain(part);
    }
    await change(`${path}/offer`);
    await change(`${path}/commission`, { basisPoints: '2.5', fixedMinor: '1.00' });
    expect(await pageOf(MERCHANT)).toContain('2.50% + 1.00');
    expect(await pageOf(`${path}/commission`)).toContain('value="2.50"');
    await change(`${path}/commission`, { basisPoints: '0', fixedMinor: '' });
    expect(
      (await auditLog()).map(({ action, target, detail }) => [action, target, JSON.parse(detail)]),
    ).toEqual([
      ['method.withdrawn', 'TELE_BIRR', {}],
      ['method.offered', 'TELE_BIRR', {}],
      ['commission.changed', 'TELE_BIRR', { basisPoints: 250, fixedMinor: 100 }],
      ['commission.changed', 'TELE_BIRR', { basisPoints: 0, fixedMinor: 0 }],
    ]);
  });

  test('has no page for an unknown method or environment', async () => {
    for (const path of ['sandbox/methods/CASH/offer', 'test/methods/CBE/commission']) {
      expect((await open(`${MERCHANT}/${path}`)).status).toBe(404);
    }
  });

  test('is added once, with one commission for all methods, and leads to the first invitation', async () => {
    expect(await pageOf('/operator/merchants')).toContain('href="/operator/add-merchant"');
    const fields = { name: 'Abebe & Sons', id: 'abebe', commissions: '2.5' };
    const location = await change('/operator/add-merchant', fields);
    expect(location).toBe('/operator/merchants/abebe?done=merchant_created');
    const html = await pageOf(location);
    for (const part of ['Invite the first owner now', 'Abebe &amp; Sons', 'abebe/invite"']) {
      expect(html).toContain(part);
    }
    expect(html.match(/2\.50%/g)).toHaveLength(2 * METHODS.length);
    const again = await change('/operator/add-merchant', fields);
    expect(await pageOf(again)).toContain('Another merchant has this ID');
    expect((await auditLog()).map(({ action, actor_id }) => [action, actor_id])).toEqual([
      ['merchant.created', NAME],
    ]);
  });

  const INVITATION = { name: 'Sara Bekele', role: 'owner' };
  const LINK = /\/dashboard\/join\?token=[\w-]{43}/;

  test('gets an invitation, whose link only this operator sees, for ten minutes', async () => {
    const location = await change(`${MERCHANT}/invite`, INVITATION);
    expect(decodeURIComponent(location)).not.toContain('token=');
    const html = await pageOf(location);
    expect(html).toMatch(LINK);
    expect(html).toContain('Sara Bekele');
    const path = LINK.exec(html)?.[0] ?? '';
    expect((await call(path, { apiKey: null })).status).toBe(200);
    expect(await deskOf('Dawit').pageOf(location)).not.toMatch(LINK);
    expect(await pageOf(location.replace(ALPHA.id, BETA.id))).not.toMatch(LINK);
    advance(11 * MINUTE_MS);
    expect(await pageOf(location)).not.toMatch(LINK);
    expect((await auditLog()).map(({ action, actor_id }) => [action, actor_id])).toEqual([
      ['member.invited', NAME],
    ]);
  });

  test("gets a link for a member's new passkey, and an invitation is revoked", async () => {
    const { memberId } = await signedIn('cashier');
    const recovery = `${MERCHANT}/members/${memberId}/recovery`;
    expect(await pageOf(MERCHANT)).toContain(`href="${recovery}"`);
    expect(await pageOf(recovery)).toContain('Cashier');
    expect(await pageOf(await change(recovery, {}))).toMatch(LINK);
    // The newest link comes first.
    advance(1_000);
    const invited = await pageOf(await change(`${MERCHANT}/invite`, INVITATION));
    const path = LINK.exec(invited)?.[0] ?? '';
    const [revoke = ''] = /[^"]*\/invitations\/[^"]*\/revoke/.exec(invited) ?? [];
    expect(await pageOf(revoke)).toContain('Sara Bekele');
    await change(revoke, {});
    expect((await call(path, { apiKey: null })).status).toBe(404);
  });

  test('gets no invitation while it is suspended', async () => {
    await change(`${MERCHANT}/suspend`, { reason: 'x' });
    const location = await change(`${MERCHANT}/invite`, INVITATION);
    expect(await pageOf(location)).toContain('End the suspension first');
  });
});

describe('a bank', () => {
  const RAILS = '/operator/rails';
  const CHANGE = '/operator/banks/NEWBANK/change';

  test('is added once, renamed and switched off, each with its entry', async () => {
    expect(await pageOf(RAILS)).toContain('href="/operator/add-bank"');
    expect(await change('/operator/add-bank', NEW_BANK)).toBe(`${RAILS}?done=bank_added`);
    expect(await pageOf(RAILS)).toContain(`href="${CHANGE}"`);
    const again = await change('/operator/add-bank', { ...NEW_BANK, name: 'Another' });
    expect(await pageOf(again)).toContain('Another bank has this code');
    const question = await pageOf(CHANGE);
    for (const part of ['<code>NEWBANK</code>', 'value="New Bank"', NAME]) {
      expect(question).toContain(part);
    }
    const fields = { name: 'Newer Bank', supportsWithdrawal: 'no' };
    expect(await change(CHANGE, fields)).toBe(`${RAILS}?done=bank_changed`);
    await change(CHANGE, fields);
    expect(
      (await auditLog()).map(({ action, actor_id, target, detail }) => [
        action,
        actor_id,
        target,
        JSON.parse(detail),
      ]),
    ).toEqual([
      ['bank.changed', NAME, 'NEWBANK', { ...NEW_BANK, supportsWithdrawal: true }],
      ['bank.changed', NAME, 'NEWBANK', { name: 'Newer Bank', supportsWithdrawal: false }],
    ]);
  });

  test('that is not on the list has no page', async () => {
    expect((await open(CHANGE)).status).toBe(404);
  });
});

describe('a dead letter', () => {
  const LETTER = '/operator/dead-letters/letter-1';

  test('is listed and leads to its message and its payment', async () => {
    await createHosted();
    await storeLetter('letter-1');
    expect(await pageOf('/operator/dead-letters')).toContain(`href="${LETTER}"`);
    const html = await pageOf(LETTER);
    expect(html).toContain('What a provider reported');
    expect(html).toContain('MSG-42');
    expect(html).toContain(`href="${PAYMENT}"`);
  });

  test('is sent to its queue again', async () => {
    await storeLetter('letter-1');
    const location = await change(`${LETTER}/retry`);
    expect(await pageOf(location)).toContain('sent to its queue again');
    expect(caught.reports).toHaveLength(1);
    expect(await readStored(env.DB, 'letter-1')).toMatchObject({
      status: 'retried',
      handledBy: NAME,
    });
    expect((await auditLog()).map(({ action }) => action)).toEqual(['dead_letter.retried']);
  });

  test('is listed with its payment, and retried with others', async () => {
    await createHosted();
    await storeLetter('letter-1');
    const list = await pageOf('/operator/dead-letters');
    for (const part of ['order-1', '100.50', 'Checkout page', 'value="letter-1"']) {
      expect(list).toContain(part);
    }
    const path = '/operator/chosen-letters/retry?item=letter-1&item=none';
    const html = await pageOf(await change(path));
    expect(html).toContain('none</bdi>: There is no such dead letter');
    expect(html).not.toContain('letter-1</bdi>:');
    expect(caught.reports).toHaveLength(1);
  });

  test('is discarded with a reason, once', async () => {
    await storeLetter('letter-1');
    const path = `${LETTER}/discard`;
    const fields = { ...hiddenFields(await pageOf(path)), reason: 'The payment shows it' };
    expect(await pageOf(await send(path, fields))).toContain('The message was deleted');
    expect(await pageOf(await send(path, fields))).toContain('already been discarded');
    expect((await auditLog()).map(({ action }) => action)).toEqual(['dead_letter.discarded']);
    expect(await pageOf(LETTER)).not.toContain('MSG-42');
  });
});

async function storeLetter(id: string): Promise<void> {
  const message = {
    id,
    timestamp: new Date(),
    body: { type: 'result', objectName: clientOf().objectName, commands: [], facts: 'MSG-42' },
  };
  const { dataEncryptionKeys } = configOf(env);
  await runBatch(env.DB, [
    await insertDeadLetter(dataEncryptionKeys, 'kefel-provider-reports', message, Date.now()),
  ]);
}

describe('the search', () => {
  /** Where the browser is led, and what it shows there. */
  async function search(text: string, merchant = '') {
    const fields = hiddenFields(await pageOf('/operator/payments'));
    const location = await send('/operator/payments', { ...fields, search: text, merchant });
    return { location, html: await pageOf(location) };
  }

  test('finds payments of all merchants by any id', async () => {
    const customerInfo = { phone: '911223344' };
    await createHosted({ paymentIntentUniqueId: 'order-7', customerInfo });
    await clientOf('order-7').execute([startRedirect('a7')]);
    // Lists show only progress that lasts.
    advance(PROGRESS_SHOWN_AFTER_MS);
    await fireAlarm('order-7');
    await project(caught);
    const { terms } = await intentOf('order-7');
    for (const text of ['order-7', ' order-7 ', terms.uuid, 'REFA7']) {
      const { location, html } = await search(text);
      expect([text, html.includes('/order-7"')]).toEqual([text, true]);
      expect(location).not.toContain('order-7');
    }
    expect((await search('order-8')).html).toContain('No payments found');
  });

  test('finds the longest id, and nothing by a text that only begins with it', async () => {
    const longest = 'x'.repeat(ID_CHARACTERS_MAX);
    await createHosted({ paymentIntentUniqueId: longest });
    await project(caught);
    expect((await search(longest)).html).toContain(`/${longest}"`);
    expect((await search(`${longest}x`)).html).toContain('No payments found');
  });

  test('finds a phone number within one merchant, and no URL shows it', async () => {
    await createHosted({ customerInfo: { phone: '911223344' } });
    await project(caught);
    expect((await search('0911223344')).html).toContain('enter the merchant ID as well');
    const { location, html } = await search('0911223344', ALPHA.id);
    expect(html).toContain('/order-1"');
    expect(location).not.toContain('911223344');
    expect((await search('0911223344', BETA.id)).html).toContain('No payments found');
  });

  test('lists the newest payments of one merchant', async () => {
    await createHosted();
    await project(caught);
    expect(await pageOf(`/operator/payments?merchant=${ALPHA.id}`)).toContain('/order-1"');
    expect(await pageOf(`/operator/payments?merchant=${BETA.id}`)).not.toContain('/order-1"');
  });
});

test('the health page asks the books at once', async () => {
  await payHosted();
  await consumeAll(caught);
  const page = await pageOf('/operator/health');
  expect(page).not.toContain('Merchants’ books report hourly');
  await expect
    .poll(async () => {
      expect(await send('/operator/health/refresh', hiddenFields(page))).toBe('/operator/health');
      return pageOf('/operator/health');
    })
    .toContain('Merchants’ books report hourly');
});

test('the health page shows the method first that fails most, and does not count who left', async () => {
  const end = (number: number, changes: Parameters<typeof projectionMessage>[2]) =>
    applyToBook(projectionMessage(tenantOf(ALPHA), number, { endedAtMs: Date.now(), ...changes }));
  await end(1, { method: 'CBE', status: 'succeeded' });
  await end(2, { method: 'CBE', status: 'failed', failureReason: 'abandoned' });
  for (const number of [3, 4, 5]) {
    await end(number, { method: 'M_PESA', status: 'succeeded' });
  }
  await end(6, { method: 'M_PESA', status: 'failed', failureReason: 'rail_unavailable' });
  await booksReport();
  const html = await pageOf('/operator/health');
  const sandbox = html.slice(html.indexOf('<details'));
  const [, ...tiles] = sandbox.split('<article class="tile">').map((tile) => {
    const [, title = '', value = '', rest = ''] =
      /^<h3>([^<]*)<\/h3><p class="tile-value">([^<]*)(.*)/s.exec(tile) ?? [];
    const figures = [...rest.matchAll(/<dt>([^<]*)<\/dt><dd>(?:<[^>]+>)*([^<]*)/g)];
    return [title, value, ...figures.slice(0, 3).map(([, name, figure]) => `${name} ${figure}`)];
  });
  expect(tiles.slice(0, 2)).toEqual([
    [METHOD_NAMES.M_PESA, '75%', 'Failed 1', 'Paid 3', 'Left 0'],
    ['CBE Birr', '100%', 'Failed 0', 'Paid 1', 'Left 1'],
  ]);
  expect(html).toContain('Payment method unavailable: 1, in 7 days 1');
  // The bar ends at three quarters, and the week's mark is there too.
  expect(html).toMatch(
    /class="chart-bar" width="75"[^>]*>(?:<\/rect>)?<path class="share-mark" d="M75 0V8"/,
  );
});

test('the rails page shows each secret’s state and the last payments', async () => {
  await payHosted();
  await consumeAll(caught);
  await createHosted({ paymentIntentUniqueId: 'order-2' });
  const failed = clientOf('order-2');
  await failed.execute([startRedirect('a2')]);
  await failed.execute([resolveAttempt('a2', 'failed')]);
  await failed.execute([{ type: 'abandon_payment' }]);
  await project(caught);
  const html = await pageOf('/operator/rails');
  for (const part of ['No secret', 'Simulated', 'Abandoned by the customer']) {
    expect(html).toContain(part);
  }
  // The last success and the last failure by telebirr; no other method has either.
  expect(html.match(/<time/g)).toHaveLength(2);
});

test('the audit log shows the entries of all merchants, or of one', async () => {
  await change(`${MERCHANT}/suspend`, { reason: 'One' });
  await change(`/operator/merchants/${BETA.id}/suspend`, { reason: 'Two' });
  const all = await pageOf('/operator/audit');
  expect(all).toContain('One');
  expect(all).toContain('Two');
  const one = await pageOf(`/operator/audit?merchant=${ALPHA.id}`);
  expect(one).toContain('One');
  expect(one).not.toContain('Two');
});
