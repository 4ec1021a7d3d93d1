import { env } from 'cloudflare:workers';
import { describe, expect, test, vi } from 'vitest';
import { DASHBOARD_TEXTS } from '../../../back-office/i18n/texts.ts';
import { EXPORT_LEASE_MS } from '../../../back-office/members/export-lease.ts';
import { bytesFromBase64Url } from '../../../src/kit/crypto/encoding.ts';
import { applyAll, projectionMessage } from '../book/fixture.ts';
import {
  ALPHA,
  advance,
  BETA,
  call,
  chooseMethod,
  clientOf,
  createHosted,
  DAY_MS,
  execute,
  intentOf,
  payHosted,
  resolveAttempt,
  simulate,
  startRedirect,
  tenantOf,
  useGateway,
} from '../support.ts';
import { auditLog, found, type SignedIn, signedIn, submit, visit } from './support.ts';

/**
 * Goal: the list of payments and its CSV file hold exactly what the member asks for, and nothing of
 * another merchant. Method: the API creates payments, the consumer feeds the book, and the
 * tests read pages as a browser gets them.
 */

const caught = useGateway();

const LIST = '/dashboard/sandbox/payments';

async function intoReadModel(): Promise<void> {
  await applyAll(caught.projections.splice(0));
}

async function textOf(response: Promise<Response>): Promise<string> {
  return (await response).text();
}

/** The ids of the payments that a page lists, in its order. */
function idsIn(html: string): string[] {
  const links = html.matchAll(/<a class="id" href="([^"]+)"/g);
  return [...links].map(([, path]) =>
    decodeURIComponent(/[^/?]+(?=\?|$)/.exec(path ?? '')?.[0] ?? ''),
  );
}

/** The tabs of statuses, with their numbers. */
function tabsIn(html: string): string[] {
  const tabs = /<nav class="tabs"[^>]*>(.*?)<\/nav>/.exec(html)?.[1] ?? '';
  return [...tabs.matchAll(/>([^<]+)<\/a>/g)].map(([, text]) => text ?? '');
}

function summaryIn(html: string): string {
  return /<h2 class="summary">([^<]+)</.exec(html)?.[1]?.replaceAll('\u00a0', ' ') ?? '';
}

function linkIn(html: string, rel: 'next' | 'prev'): string | null {
  const path = new RegExp(`rel="${rel}" href="([^"]+)"`).exec(html)?.[1];
  return path?.replaceAll('&amp;', '&') ?? null;
}

/** One payment in each of several states: `paid`, `open`, `failed`, `canceled`, `dollars`. */
async function variety(): Promise<void> {
  await payHosted({ paymentIntentUniqueId: 'paid', amount: 250 });
  advance(1_000);
  await createHosted({ paymentIntentUniqueId: 'open', amount: 10 });
  advance(1_000);
  await simulate(
    await chooseMethod(await createHosted({ paymentIntentUniqueId: 'failed' })),
    'give_up',
  );
  advance(DAY_MS);
  await createHosted({ paymentIntentUniqueId: 'canceled' });
  await clientOf('canceled').execute([{ type: 'cancel' }]);
  advance(1_000);
  await payHosted({ paymentIntentUniqueId: 'dollars', currency: 'USD', amount: 5 });
  await intoReadModel();
}

function dayOf(atMs: number): string {
  return new Date(atMs + 3 * 3_600_000).toISOString().slice(0, 10);
}

describe('the list', () => {
  test('shows the first steps when there is no payment, to a viewer too', async () => {
    for (const role of ['developer', 'cashier', 'viewer'] as const) {
      const html = await textOf(visit(await signedIn(role), LIST));
      expect(html).toContain('No payments yet');
      expect(html).toContain('/dashboard/sandbox/keys');
      expect(html).toContain('/api/v1/payment/sandbox/intent');
    }
  });

  test('lists amount, status, method, customer, id and time, newest first', async () => {
    await variety();
    const html = await textOf(visit(await signedIn('viewer'), LIST));
    expect(idsIn(html)).toEqual(['dollars', 'canceled', 'failed', 'open', 'paid']);
    const row = html.split('<tr>').find((part) => part.includes('/payments/paid"')) ?? '';
    expect(row).toMatch(/ETB\s250\.00/);
    expect(row).toContain('>Paid<');
    expect(row).toContain('telebirr');
    expect(row).toMatch(/\d\d:\d\d<\/time>/);
    // A customer who only left is not a failure.
    const left = html.split('<tr>').find((part) => part.includes('/payments/failed"')) ?? '';
    expect(left).toContain('>Left<');
    expect(html).not.toContain('>Failed<');
  });

  test('names each customer, with a masked phone, to every role', async () => {
    await createHosted({
      customerInfo: { name: 'Almaz <b>', email: 'almaz@example.com', phone: '911234567' },
      metadata: { driver: 'Tolosa' },
    });
    await intoReadModel();
    for (const role of ['owner', 'viewer'] as const) {
      const html = await textOf(visit(await signedIn(role), LIST));
      expect(html).toContain('Almaz &lt;b>');
      expect(html).toContain('…4567');
      for (const hidden of ['911234567', 'almaz@example.com', 'Tolosa']) {
        expect(html).not.toContain(hidden);
      }
    }
  });

  test.each([
    ['status=succeeded', ['dollars', 'paid']],
    ['status=failed', ['failed']],
    ['method=TELE_BIRR', ['dollars', 'failed', 'paid']],
    ['method=CBE', []],
    ['currency=USD', ['dollars']],
    ['min=100&max=200', ['canceled', 'failed']],
    ['min=250', ['paid']],
    ['status=succeeded&method=TELE_BIRR&currency=ETB', ['paid']],
  ])('filters by %s', async (query, ids) => {
    await variety();
    const html = await textOf(visit(await signedIn(), `${LIST}?${query}`));
    expect(idsIn(html)).toEqual(ids);
    expect(html.includes('No payments match these filters')).toBe(ids.length === 0);
  });

  test('filters by days of Addis Ababa', async () => {
    await variety();
    const member = await signedIn();
    const today = dayOf(Date.now());
    const before = dayOf(Date.now() - DAY_MS);
    const ids = async (query: string) => idsIn(await textOf(visit(member, `${LIST}?${query}`)));
    expect(await ids(`since=${today}`)).toEqual(['dollars', 'canceled']);
    expect(await ids(`until=${before}`)).toEqual(['failed', 'open', 'paid']);
    expect(await ids(`since=${before}&until=${today}`)).toHaveLength(5);
  });

  test.each([
    ['since=2026-02-30', 'since', 'Enter a valid date'],
    ['min=1.005', 'min', 'Enter an amount'],
    ['since=2026-02-02&until=2026-02-01', 'until', 'before the start date'],
  ])('explains an invalid filter at its field: %s', async (query, field, problem) => {
    await variety();
    const response = await visit(await signedIn(), `${LIST}?${query}`);
    const html = await response.text();
    expect(response.status).toBe(400);
    expect(html).toMatch(
      new RegExp(`id="${field}-error">${problem}|id="${field}-error">[^<]*${problem}`),
    );
    expect(html).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`));
    expect(html).toContain(`href="#${field}"`);
    // The typed text stays, and no list looks like an answer.
    expect(html).toContain(new URLSearchParams(query).get(field) ?? '?');
    expect(idsIn(html)).toEqual([]);
  });

  test('explains a status that does not exist', async () => {
    await variety();
    const response = await visit(await signedIn(), `${LIST}?status=paid`);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('Status: Choose one from the list.');
  });

  test('counts each status under the other filters, and sums up what it lists', async () => {
    await variety();
    const member = await signedIn();
    const html = await textOf(visit(member, LIST));
    expect(tabsIn(html)).toEqual([
      'All 5',
      'Paid 2',
      'In progress 0',
      'Open 1',
      'Failed 1',
      'Expired 0',
      'Canceled 1',
    ]);
    expect(summaryIn(html)).toBe('Payments: 5 · paid: 2, ETB 250.00 + USD 5.00');
    const paid = await textOf(visit(member, `${LIST}?status=succeeded&currency=ETB`));
    expect(tabsIn(paid).slice(0, 3)).toEqual(['All 4', 'Paid 1', 'In progress 0']);
    expect(paid).toMatch(/aria-current="true">Paid 1</);
    expect(summaryIn(paid)).toBe('Payments: 1, ETB 250.00');
    const before = dayOf(Date.now() - DAY_MS);
    expect(
      summaryIn(await textOf(visit(member, `${LIST}?until=${before}&method=TELE_BIRR`))),
    ).toMatch(/^Payments: 2 · paid: 1, ETB 250.00$/);
    // The totals do not know single amounts, so no number is shown that could be wrong.
    const byAmount = await textOf(visit(member, `${LIST}?min=1`));
    expect(tabsIn(byAmount)[1]).toBe('Paid');
    expect(byAmount).not.toContain('Payments: ');
  });

  test('puts the list right below one line of numbers, without charts', async () => {
    await variety();
    expect(await textOf(visit(await signedIn(), LIST))).not.toContain('class="chart"');
  });

  test("leads from a payment back to the list's filters and page", async () => {
    await seed(30);
    const member = await signedIn();
    const second = linkIn(await textOf(visit(member, `${LIST}?status=open&min=1`)), 'next') ?? '';
    const list = await textOf(visit(member, second));
    const path = /<a class="id" href="([^"]+)"/.exec(list)?.[1]?.replaceAll('&amp;', '&') ?? '';
    // The payments of this test have no objects, so another payment stands in.
    await createHosted({ paymentIntentUniqueId: 'real' });
    const real = path.replace(/payments\/[^?]+/, 'payments/real');
    const html = await textOf(visit(member, real));
    expect(html).toContain(`href="${second.replaceAll('&', '&amp;')}"><span aria-hidden="true">‹ `);
    const action = /action="([^"]+cancel[^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const answer = await submit(member, action, {});
    expect(answer.headers.get('location')).toBe(`${real}&done=payment_canceled`);
  });

  test.each([
    ['since=2026-11-21', 'since-day=12&since-month=3&since-year=2019'],
    ['until=2026-09-11', 'until-day=1&until-month=1&until-year=2019'],
  ])('reads %s from the fields of the Ethiopian calendar', async (gregorian, ethiopian) => {
    await variety();
    const member = await signedIn();
    const html = await textOf(visit(member, `${LIST}?${ethiopian}&calendar=ethiopian&min=1`));
    // Links name days by the Gregorian calendar.
    expect(html).toContain(`href="${LIST}.csv?${gregorian}&amp;min=1"`);
    for (const part of new URLSearchParams(ethiopian).values()) {
      expect(html).toMatch(new RegExp(`<option value="${part}" selected`));
    }
  });

  test.each([
    'since-day=31&since-month=1&since-year=2019',
    'since-day=6&since-month=13&since-year=2018',
    'since-day=1&since-month=&since-year=2019',
    'since-day=x&since-month=1&since-year=2019',
  ])('rejects a day that the Ethiopian calendar does not have: %s', async (query) => {
    const response = await visit(await signedIn(), `${LIST}?${query}&calendar=ethiopian`);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('id="since-error"');
  });

  test('remembers the chosen calendar', async () => {
    const member = await signedIn();
    const cookies = (await visit(member, `${LIST}?calendar=ethiopian`)).headers.getSetCookie();
    expect(cookies.join()).toContain('kefel_calendar=ethiopian');
    expect((await visit(member, LIST)).headers.getSetCookie().join()).not.toContain('calendar');
  });

  test('escapes text in a filter', async () => {
    const html = await textOf(
      visit(await signedIn(), `${LIST}?min=${encodeURIComponent('"><b>x')}`),
    );
    expect(html).not.toContain('<b>x');
  });

  test('lists each payment once while new payments arrive', async () => {
    const made: string[] = [];
    const make = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index += 1) {
        const id = `order-${made.length}`;
        await createHosted({ paymentIntentUniqueId: id });
        made.push(id);
        // Several payments of one millisecond.
        advance(made.length % 3 === 0 ? 1 : 0);
      }
      await intoReadModel();
    };
    await make(60);
    const expected = new Set(made);
    const member = await signedIn();
    const seen: string[] = [];
    let path: string | null = LIST;
    let backwards: string | null = null;
    while (path !== null) {
      const html: string = await textOf(visit(member, path));
      const ids = idsIn(html);
      expect(ids.length).toBeLessThanOrEqual(25);
      seen.push(...ids);
      backwards = linkIn(html, 'prev') ?? backwards;
      path = linkIn(html, 'next');
      await make(2);
    }
    expect(seen).toHaveLength(60);
    expect(new Set(seen)).toEqual(expected);
    // And back, up to the payments that have arrived since.
    const back = idsIn(await textOf(visit(member, backwards ?? '')));
    expect(back).toEqual(seen.slice(25, 50));
  });

  test('keeps the filters on the next page', async () => {
    await seed(30);
    const member = await signedIn();
    const html = await textOf(visit(member, `${LIST}?status=open&min=1`));
    const next = linkIn(html, 'next') ?? '';
    expect(next).toContain('status=open&min=1&cursor=');
    expect(idsIn(await textOf(visit(member, next)))).toEqual(
      [5, 4, 3, 2, 1].map((number) => `seed-${number}`),
    );
    expect(html).toContain(`href="${LIST}.csv?status=open&amp;min=1"`);
  });

  test('shows the first page and a message for an unknown cursor', async () => {
    await variety();
    const response = await visit(await signedIn(), `${LIST}?cursor=nonsense`);
    expect(response.status).toBe(400);
    const html = await response.text();
    expect(html).toContain('this is the first page');
    expect(idsIn(html)).toHaveLength(5);
  });

  test('marks payments that need a look', async () => {
    await createHosted();
    await execute(startRedirect('a0'));
    await execute({ type: 'abandon_payment' });
    await intoReadModel();
    const member = await signedIn();
    expect(await textOf(visit(member, LIST))).toContain('Outcome unknown');
    await execute(resolveAttempt('a0', 'succeeded'));
    await execute({ type: 'report_callback', attemptId: 'a0' });
    await intoReadModel();
    const html = await textOf(visit(member, LIST));
    expect(html).toContain('Paid late');
    expect(html).toContain('Needs review');
    expect(html).not.toContain('Outcome unknown');
  });
});

describe('search', () => {
  test('finds a payment by any of its ids', async () => {
    await payHosted({ paymentIntentUniqueId: 'wanted', paymentLinkUniqueId: 'link-7' });
    await createHosted({ paymentIntentUniqueId: 'other' });
    await intoReadModel();
    const member = await signedIn('viewer');
    const { terms, attempts } = await intentOf('wanted');
    const ids = ['wanted', ' wanted ', terms.uuid, String(terms.number), 'link-7'];
    for (const id of [...ids, attempts[0]?.reference ?? '']) {
      expect(idsIn(await textOf(found(member, LIST, id)))).toEqual(['wanted']);
    }
    const beta = await signedIn('owner', BETA);
    expect(idsIn(await textOf(found(beta, LIST, 'wanted')))).toEqual([]);
    for (const id of ['wa', 'wanted2', '', "' OR 1=1 --", 'x'.repeat(10_000)]) {
      const html = await textOf(found(member, LIST, id));
      expect(idsIn(html)).toEqual([]);
      expect(html).toContain('an ID that starts or ends with this');
      expect(html).toContain('at least 3 characters of an ID');
    }
  });

  test('names the field that it matched, unless the list shows it', async () => {
    await createHosted({
      paymentLinkUniqueId: 'link-7',
      customerInfo: { name: 'Almaz Kebede', email: 'almaz@example.com', phone: '911234567' },
    });
    const start = startRedirect('a0');
    if (start.type !== 'start_attempt') {
      throw new Error('no attempt');
    }
    const phone = '251722334455';
    await execute({ ...start, attempt: { ...start.attempt, phone } });
    const railReference = 'session-0722334455';
    await execute({
      type: 'accept_attempt',
      attemptId: 'a0',
      redirectUrl: null,
      railReference,
    });
    await execute({
      type: 'resolve_attempt',
      attemptId: 'a0',
      outcome: { type: 'succeeded', receipt: 'RCPT7-XK2' },
    });
    await intoReadModel();
    const { terms, attempts } = await intentOf();
    const { reference = '' } = attempts[0] ?? {};
    const member = await signedIn('viewer');
    const matchOf = async (search: string) => {
      const html = await textOf(found(member, LIST, search));
      expect(idsIn(html)).toEqual(['order-1']);
      const match = /<span class="match[^>]*>(.*?)<\/span>/.exec(html)?.[1] ?? null;
      return match?.replaceAll(/<[^>]+>/g, '') ?? null;
    };
    const matches: readonly (readonly [string, string | null])[] = [
      ['order-1', null],
      ['orde', null],
      ['Kebede', null],
      ['0722334455', null],
      [String(terms.number), `paymentIntentId: ${terms.number}`],
      [terms.uuid, `uuid: ${terms.uuid}`],
      [terms.uuid.toUpperCase(), `uuid: ${terms.uuid}`],
      [reference, `transactionId: ${reference}`],
      ['rcpt7xk2', 'Receipt: RCPT7-XK2'],
      ['XK2', 'Receipt: RCPT7-XK2'],
      ['link-7', 'Another ID: link-7'],
      ['almaz@example.com', 'Email: almaz@example.com'],
      // A phone of the customer, who paid from another phone; and an id with a phone, typed in
      // full.
      ['0911234567', 'Phone: …4567'],
      // The list shows the end of the phone that paid.
      ['4455', null],
      ['4567', 'Phone: …4567'],
      [railReference, `Provider reference: ${railReference}`],
    ];
    for (const [search, match] of matches) {
      expect([search, await matchOf(search)]).toEqual([search, match]);
    }
  });

  test('finds a payment by phone number, which never appears in an address', async () => {
    await createHosted({ paymentIntentUniqueId: 'wanted', customerInfo: { phone: '911234567' } });
    await intoReadModel();
    const member = await signedIn();
    const html = await textOf(found(member, LIST, '+251 91 123 4567'));
    expect(idsIn(html)).toEqual(['wanted']);
    expect([...html.matchAll(/(?:href|action)="([^"]*)"/g)].join(' ')).not.toContain('1234');
    expect(await textOf(visit(member, LIST))).toMatch(/<form class="search" method="post"/);
    const sent = await submit(member, LIST, { search: '+251 91 123 4567' });
    expect(sent.status).toBe(303);
    const [address = '', sealed = ''] = (sent.headers.get('location') ?? '').split('?search=');
    expect([address, sealed]).toEqual([LIST, expect.stringMatching(/^\w+\.[\w-]{40,}$/)]);
    const bytes = bytesFromBase64Url(sealed.split('.')[1] ?? '') ?? undefined;
    expect(new TextDecoder().decode(bytes)).not.toContain('1234');
  });

  test('has an address, so that Back and the payment’s link to the list show it again', async () => {
    await createHosted({ paymentIntentUniqueId: 'wanted' });
    await createHosted({ paymentIntentUniqueId: 'other' });
    await intoReadModel();
    const member = await signedIn();
    const address =
      (await submit(member, LIST, { search: 'wanted' })).headers.get('location') ?? '';
    for (const language of ['en', 'am']) {
      expect(idsIn(await textOf(visit(member, address, language)))).toEqual(['wanted']);
    }
    const html = await textOf(visit(member, address));
    const [, href = ''] = /<a class="id" href="([^"]*)"/.exec(html) ?? [];
    const payment = await textOf(visit(member, href.replaceAll('&amp;', '&')));
    expect(payment).toContain(`href="${address}"`);
  });

  test('shows the whole list for an address that was not sealed for this merchant', async () => {
    await createHosted({ paymentIntentUniqueId: 'one' });
    await createHosted({ paymentIntentUniqueId: 'two' });
    await intoReadModel();
    const member = await signedIn();
    const addresses = await Promise.all(
      [member, await signedIn('owner', BETA)].map((who) => submit(who, LIST, { search: 'one' })),
    );
    const [own = '', beta = ''] = addresses.map(
      ({ headers }) => headers.get('location')?.split('=')[1],
    );
    for (const sealed of [beta, `${own.slice(0, -4)}AAAA`, 'x', '']) {
      const html = await textOf(visit(member, `${LIST}?search=${sealed}`));
      expect(idsIn(html).toSorted()).toEqual(['one', 'two']);
    }
    const production = LIST.replace('sandbox', 'production');
    const html = await textOf(visit(member, `${production}?search=${own}`));
    expect(html).not.toContain('value="one"');
  });
});

describe('the file', () => {
  const FILE = `${LIST}.csv`;

  async function linesOf(response: Response): Promise<string[]> {
    return (await response.text()).trimEnd().split('\r\n').slice(1);
  }

  test('holds the filtered payments, downloads, and is recorded in the audit log', async () => {
    await variety();
    const member = await signedIn('viewer');
    expect(await textOf(visit(member, LIST))).toContain('the newest 100,000 payments at most');
    const response = await visit(member, `${FILE}?status=succeeded&min=1`);
    expect(response.headers.get('content-type')).toContain('text/csv');
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="payments-sandbox-\d{4}-\d\d-\d\d\.csv"$/,
    );
    const lines = await linesOf(response);
    expect(lines.map((line) => line.split(',')[2])).toEqual(['dollars', 'paid']);
    expect(lines[1]).toContain(',ETB,250.00,2.50,250.00,247.50,');
    expect(await auditLog()).toEqual([
      expect.objectContaining({
        action: 'payments.exported',
        actor_id: member.memberId,
        merchant_id: ALPHA.id,
        environment: 'sandbox',
        detail: '{"status":"succeeded","min":"1.00"}',
      }),
    ]);
  });

  test('names transaction and customer, with a masked phone', async () => {
    await payHosted({
      paymentIntentUniqueId: 'whole',
      customerInfo: { name: 'Almaz Kebede', email: 'almaz@example.com', phone: '911234567' },
    });
    await intoReadModel();
    const cells = async (member: SignedIn, query = '') => {
      const [head = '', line = ''] = (await (await visit(member, `${FILE}${query}`)).text()).split(
        '\r\n',
      );
      const values = line.match(/"[^"]*"|[^,]+|(?<=,)(?=,)/g) ?? [];
      return Object.fromEntries(
        head
          .slice(head.startsWith('\ufeff') ? 1 : 0)
          .split(',')
          .map((name, index) => [name, values[index]]),
      );
    };
    const { attempts } = await intentOf('whole');
    const owner = await signedIn();
    expect(await cells(owner)).toMatchObject({
      transaction_id: attempts[0]?.reference,
      phone: '251*****4567',
      customer_name: 'Almaz Kebede',
      customer_email: 'almaz@example.com',
    });
    expect((await cells(owner, '?phones=full')).phone).toBe('"251911234567\t"');
    expect((await auditLog()).at(-1)?.detail).toBe('{"phones":"full"}');
    const refused = await visit(await signedIn('developer'), `${FILE}?phones=full`);
    expect(refused.status).toBe(403);
    expect(await textOf(visit(await signedIn('developer'), LIST))).not.toContain('phones=full');
  });

  test('redirects an invalid filter to the page that explains it, and exports nothing', async () => {
    const response = await visit(await signedIn(), `${FILE}?min=x`);
    expect(response.headers.get('location')).toBe(`${LIST}?min=x`);
    expect(await auditLog()).toEqual([]);
  });

  test('streams several queries of payments complete, in order, once', async () => {
    await seed(1_203);
    const lines = await linesOf(await visit(await signedIn(), FILE));
    const ids = lines.map((line) => line.split(',')[2]);
    expect(ids).toHaveLength(1_203);
    expect(new Set(ids).size).toBe(1_203);
    expect(ids[0]).toBe('seed-1203');
    expect(ids.at(-1)).toBe('seed-1');
  });

  test('is an error page when the book fails in the first page, and can be repeated', async () => {
    await seed(1_203);
    const member = await signedIn();
    const get = env.MERCHANT_BOOK.get.bind(env.MERCHANT_BOOK);
    let questions = 0;
    vi.spyOn(env.MERCHANT_BOOK, 'get').mockImplementation((id, options) => {
      questions += 1;
      if (questions > 1) {
        throw Object.assign(new Error('overloaded'), { overloaded: true });
      }
      return get(id, options);
    });
    expect((await visit(member, FILE)).status).toBe(503);
    vi.restoreAllMocks();
    expect(await linesOf(await visit(member, FILE))).toHaveLength(1_203);
  });

  test('is refused while the session downloads another, in every language', async () => {
    await seed(1_203);
    const member = await signedIn();
    const first = await visit(member, FILE);
    for (const [language, text] of Object.entries(DASHBOARD_TEXTS)) {
      const second = await visit(member, FILE, language);
      expect([second.status, second.headers.get('retry-after')]).toEqual([429, '60']);
      expect(await second.text()).toContain(text.frame.notices.export_running.text);
    }
    expect((await visit(await signedIn(), FILE)).status).toBe(200);
    expect(await linesOf(first)).toHaveLength(1_203);
    expect(await auditLog()).toHaveLength(2);
    expect(await linesOf(await visit(member, FILE))).toHaveLength(1_203);
  });

  test('lets the session begin another after the client canceled the download', async () => {
    await seed(1_203);
    const member = await signedIn();
    await (await visit(member, FILE)).body?.cancel();
    await expect.poll(async () => (await visit(member, FILE)).status).toBe(200);
  });

  test('lets the session begin another after the first stood unread for a minute', async () => {
    await seed(1_203);
    const member = await signedIn();
    const unread = await visit(member, FILE);
    const later = async () => {
      // Again and again, because the stream reads ahead, which renews the lease.
      advance(EXPORT_LEASE_MS);
      return (await visit(member, FILE)).status;
    };
    await expect.poll(later).toBe(200);
    await unread.body?.cancel();
  });

  test('keeps its slot while the client reads slowly', async () => {
    await seed(2_500);
    const member = await signedIn();
    const text = (await visit(member, FILE)).body?.pipeThrough(new TextDecoderStream());
    const reader = text?.getReader();
    // Each piece of 150 rows renews the lease, and the stream reads one piece ahead.
    for (let piece = 0; piece < 4; piece++) {
      advance(EXPORT_LEASE_MS / 2);
      for (let lines = 0; lines < 150; ) {
        lines += (await reader?.read())?.value?.match(/\n/g)?.length ?? 0;
      }
    }
    expect((await visit(member, FILE)).status).toBe(429);
    await reader?.cancel();
  });

  test('exports nothing for a HEAD request', async () => {
    const member = await signedIn();
    const headers = { cookie: member.cookie };
    const response = await call(FILE, { method: 'HEAD', apiKey: null, headers });
    expect(response.status).toBe(200);
    expect(await auditLog()).toEqual([]);
  });
});

/** Payments `seed-1` … in the book alone: too many for the API in a test. */
async function seed(count: number): Promise<void> {
  const startMs = Date.now();
  await applyAll(
    Array.from({ length: count }, (_, index) =>
      projectionMessage(tenantOf(ALPHA), index + 1, {
        uniqueId: `seed-${index + 1}`,
        createdAtMs: startMs + index + 1,
      }),
    ),
  );
}
