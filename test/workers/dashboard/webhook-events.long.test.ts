import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { MerchantBook } from '../../../src/connected-objects.ts';
import { RESEND_BATCH } from '../../../src/lists/book/resend.ts';
import { applyAll, projectedEvent, projectionMessage } from '../book/fixture.ts';
import {
  ALPHA,
  type Arrival,
  advance,
  allRows,
  consume,
  DAY_MS,
  INTERRUPTIONS,
  lastEvent,
  merchantServer,
  objectSql,
  payHosted,
  SECOND_MS,
  tenantOf,
  useGateway,
} from '../support.ts';
import { auditLog, sessionFor, signedIn, submit, visit } from './support.ts';

/**
 * Goal: members see every try of every event and resend failed ones, singly or by range, each once.
 * Method: payments whose events fail as wished. The test decides when the book is fed: lists
 * may lag, objects decide.
 */

const caught = useGateway();

const PATH = '/dashboard/sandbox/webhooks';
const EVENTS = `${PATH}/events`;
const RESEND = `${PATH}/resend`;

let httpStatus = 200;
let arrivals: Arrival[] = [];

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  httpStatus = 200;
  arrivals = merchantServer(() => new Response('<i>so\u202e</i>', { status: httpStatus }));
});

const project = () => applyAll(caught.projections.splice(0));
const deliver = () => consume('kefel-webhooks', caught.webhooks.splice(0));

/** A payment whose event is answered by `status`: 410 ends its delivery at once. */
async function announce(uniqueId: string, status = 410): Promise<number> {
  httpStatus = status;
  await payHosted({ paymentIntentUniqueId: uniqueId });
  await deliver();
  await project();
  httpStatus = 200;
  return (await lastEvent(uniqueId)).sequence;
}

async function textOf(response: Response | Promise<Response>): Promise<string> {
  const html = await (await response).text();
  return html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

const statusOf = async (uniqueId: string) => (await lastEvent(uniqueId)).deliveryStatus;

async function pause(): Promise<void> {
  await env.DB.prepare(
    `INSERT OR REPLACE INTO failing_endpoints
     VALUES (?1, 'sandbox', 'https://shop.example.com', ?2, ?2, 'HTTP 500', ?2, NULL)`,
  )
    .bind(ALPHA.id, Date.now())
    .run();
}

/** Today as the form writes it. */
const today = () => new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 10);
const days = () => ({ from: today(), to: today() });

describe('the log', () => {
  test('lists events with their results, by status and day', async () => {
    const member = await signedIn('viewer');
    await announce('order-ok', 201);
    advance(SECOND_MS);
    await announce('order-gone', 410);
    const all = await textOf(visit(member, EVENTS));
    expect(all).toMatch(/order-gone .*Failed.* HTTP 410 .*order-ok/);
    const dead = await textOf(visit(member, `${EVENTS}?status=dead`));
    expect([dead.includes('order-gone'), dead.includes('order-ok')]).toEqual([true, false]);
    const tomorrow = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
    expect(await textOf(visit(member, `${EVENTS}?from=${tomorrow}`))).toContain(
      'No events match these filters.',
    );
    const old = await textOf(visit(member, `${EVENTS}?from=${today()}&to=${today()}`));
    expect(old).toContain('order-gone');
  });

  test('offers usual ranges, and days of the Ethiopian calendar', async () => {
    const member = await signedIn('viewer');
    const html = await (await visit(member, `${EVENTS}?status=dead`)).text();
    const days = `from=${today()}&amp;to=${today()}`;
    expect(html).toContain(`href="${EVENTS}?status=dead&amp;${days}">Today</a>`);
    const query = 'calendar=ethiopian&from-day=12&from-month=3&from-year=2019';
    const chosen = await (await visit(member, `${EVENTS}?${query}`)).text();
    expect(chosen).toContain('<option value="3" selected>Hidar</option>');
    const wrong = await visit(member, `${EVENTS}?from-day=31&from-month=3&from-year=2019`);
    expect(wrong.status).toBe(400);
  });

  test('keeps the filters on every page', async () => {
    const member = await signedIn('viewer');
    await insertFailed(Array.from({ length: 30 }, (_value, index) => `gone-${index}`));
    const first = await (await visit(member, `${EVENTS}?status=dead`)).text();
    expect([...first.matchAll(/gone-\d+</g)]).toHaveLength(25);
    const older = /href="([^"]*cursor=[^"]*)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(older).toContain('status=dead');
    const second = await (await visit(member, older)).text();
    expect([...second.matchAll(/gone-\d+</g)]).toHaveLength(5);
  });

  test.each([
    ['from=2026-13-01', 'Enter a valid date'],
    ['to=yesterday', 'Enter a valid date'],
    ['from=2026-02-30', 'Enter a valid date'],
    ['from=2026-11-02&to=2026-11-01', 'before the start date'],
  ])('?%s is rejected with a reason', async (query, reason) => {
    const response = await visit(await signedIn('viewer'), `${EVENTS}?${query}`);
    expect(response.status).toBe(400);
    expect(await textOf(response)).toContain(reason);
  });

  test.each([
    ['cursor=x', 400],
    ['status=x', 200],
  ])('shows the first page for an invalid address: %s', async (query, status) => {
    await announce('order-1');
    const page = await visit(await signedIn(), `${EVENTS}?${query}`);
    expect([page.status, (await page.text()).includes('order-1')]).toEqual([status, true]);
  });
});

describe("an event's page", () => {
  test('shows every try, and to developers the exact bytes that were sent', async () => {
    const uniqueId = 'order/ብር 1?';
    const sequence = await announce(uniqueId);
    const path = `${EVENTS}/${encodeURIComponent(uniqueId)}/${sequence}`;
    const response = await visit(await signedIn('developer'), path);
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(html).toContain('<pre dir="auto">&lt;i>so[U+202E]&lt;/i></pre>');
    expect(html).toContain('HTTP 410');
    const body = /<textarea id="body"[^>]*>([^<]*)<\/textarea>/.exec(html)?.[1] ?? '';
    expect(body.replaceAll('&quot;', '"').replaceAll('&amp;', '&')).toBe(arrivals[0]?.text);
    const seen = await (await visit(await signedIn('viewer'), path)).text();
    expect(seen).toContain('HTTP 410');
    expect(seen).not.toContain('<textarea');
    expect(seen).not.toContain('Resend');
  });

  test('shows developers the headers and the payment, readable', async () => {
    const sequence = await announce('order-1');
    const { eventId, tries } = await lastEvent('order-1');
    const html = await (
      await visit(await signedIn('developer'), `${EVENTS}/order-1/${sequence}`)
    ).text();
    const headers = arrivals[0]?.headers;
    for (const name of ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp']) {
      expect(html).toContain(`${name}: ${headers?.get(name)}\n`);
    }
    expect(html).toContain('  &quot;uniqueId&quot;: &quot;order-1&quot;,\n');
    expect(html).toContain(`data-value="${eventId}"`);
    expect(html).toContain(String(Math.floor((tries[0]?.atMs ?? 0) / 1_000)));
  });

  test('is watched by the script while the event is on its way, and no longer', async () => {
    const member = await signedIn('developer');
    const sequence = await announce('order-1');
    const path = `${EVENTS}/order-1/${sequence}`;
    const state = async (page = path) =>
      /data-live="([^"]+)"/.exec(await (await visit(member, page)).text())?.[1];
    expect(await state()).toBeUndefined();
    await submit(member, `${path}/resend`);
    const queued = await state();
    expect(queued).toContain('queued');
    expect(await state('/dashboard/sandbox/payments/order-1')).toContain(queued);
    httpStatus = 500;
    await deliver();
    // The first retry follows within seconds.
    expect(await state()).toContain('waiting');
    await objectSql(
      "UPDATE record SET content = json_set(content, '$.firstEvent.deliveries[0].deliveryStatus', 'delivered')",
      'order-1',
    );
    await INTERRUPTIONS.eviction();
    expect(await state()).toBeUndefined();
    expect(await state('/dashboard/sandbox/payments/order-1')).toBeUndefined();
  });

  test('calls every resend by one word', async () => {
    const member = await signedIn('developer');
    const sequence = await announce('order-1', 500);
    expect(await statusOf('order-1')).toBe('waiting');
    const html = await (await visit(member, `${EVENTS}/order-1/${sequence}`)).text();
    expect(html).toContain('type="submit">Resend</button>');
  });

  test('leads back to the filtered list, also after a resend', async () => {
    const member = await signedIn('developer');
    await announce('order-1');
    const list = await (await visit(member, `${EVENTS}?status=dead`)).text();
    const path = /href="([^"]+order-1[^"]+list=[^"]+)"/.exec(list)?.[1] ?? '';
    const html = await (await visit(member, path)).text();
    expect(html).toContain(`href="${EVENTS}?status=dead">All events</a>`);
    const action = /action="([^"]+resend[^"]+)"/.exec(html)?.[1] ?? '';
    const answer = await submit(member, action);
    expect(answer.headers.get('location')).toBe(`${path}&done=resent`);
  });

  test('resends a failed event once for a double click, and records it', async () => {
    const member = await signedIn('developer');
    const sequence = await announce('order-1');
    const path = `${EVENTS}/order-1/${sequence}`;
    const first = await submit(member, `${path}/resend`);
    expect(first.headers.get('location')).toBe(`${path}?done=resent`);
    const second = await submit(member, `${path}/resend`);
    expect(second.headers.get('location')).toBe(`${path}?done=late`);
    expect(caught.webhooks).toHaveLength(1);
    await deliver();
    expect(await statusOf('order-1')).toBe('delivered');
    const { eventId: target } = await lastEvent('order-1');
    expect(await auditLog()).toMatchObject([{ action: 'event.resend_requested', target }]);
  });

  test('goes to a paused endpoint too, and its arrival resumes it', async () => {
    const member = await signedIn('developer');
    const sequence = await announce('order-1');
    await pause();
    await submit(member, `${EVENTS}/order-1/${sequence}/resend`);
    await deliver();
    expect(await statusOf('order-1')).toBe('delivered');
    const sql = 'SELECT COUNT(*) AS count FROM failing_endpoints';
    expect(await env.DB.prepare(sql).first('count')).toBe(0);
  });

  test.each([
    ['on its way', 'queued'],
    ['superseded', 'superseded'],
    ['being sent', 'claimed'],
  ])('offers no resend while the event is %s', async (_name, status) => {
    const member = await signedIn('developer');
    const sequence = await announce('order-1');
    await objectSql(
      `UPDATE record SET content = json_set(content, '$.firstEvent.deliveries[0].deliveryStatus', '${status}')`,
      'order-1',
    );
    await INTERRUPTIONS.eviction();
    const path = `${EVENTS}/order-1/${sequence}`;
    expect(await (await visit(member, path)).text()).not.toContain('/resend"><');
    const answer = await submit(member, `${path}/resend`);
    expect(answer.headers.get('location')).toBe(`${path}?done=late`);
    expect(caught.webhooks).toEqual([]);
  });

  test.each(['0', '99', '-1', 'x', '1e3', '99999999999'])(
    'answers 404 for sequence %s',
    async (sequence) => {
      await announce('order-1');
      const path = `${EVENTS}/order-1/${sequence}`;
      expect((await visit(await signedIn(), path)).status).toBe(404);
    },
  );
});

/** Rows of the book without objects: a deleted payment resends nothing. */
async function insertFailed(uniqueIds: readonly string[], everyMs = 1): Promise<void> {
  const tenant = tenantOf(ALPHA);
  await applyAll(
    uniqueIds.map((uniqueId, index) => {
      const createdAtMs = Date.now() - index * everyMs;
      const event = projectedEvent(tenant, index, {
        createdAtMs,
        deliveryStatus: 'dead',
        tries: 10,
      });
      return projectionMessage(tenant, index, { uniqueId, createdAtMs }, { events: [event] });
    }),
  );
}

describe('resending all failed events', () => {
  test('counts first, which sends nothing', async () => {
    const member = await signedIn('developer');
    await announce('order-1');
    await announce('order-2');
    await announce('order-3', 200);
    const page = await textOf(visit(member, RESEND));
    expect(page).toContain('Failed events in these days: 2.');
    expect(caught.webhooks).toEqual([]);
  });

  test('sends each once, despite repeated confirmation and a lagging book', async () => {
    const member = await signedIn('developer');
    for (const uniqueId of ['order-1', 'order-2', 'order-3']) {
      await announce(uniqueId);
    }
    await announce('order-4', 200);
    const reach = env.MERCHANT_BOOK.get.bind(env.MERCHANT_BOOK);
    const lagging = vi.spyOn(env.MERCHANT_BOOK, 'get').mockImplementation((id) => {
      const ask = (...question: Parameters<MerchantBook['ask']>) => reach(id).ask(...question);
      return { ask, apply: async () => ({ confirmed: false, othersWithReceipt: [] }) } as never;
    });
    const [one, other] = await Promise.all([
      submit(member, RESEND, days()),
      submit(member, RESEND, days()),
    ]);
    const texts = await Promise.all([textOf(one), textOf(other)]);
    const sent = texts.map((text) => Number(/Resent: (\d+)/.exec(text)?.[1]));
    expect((sent[0] ?? 0) + (sent[1] ?? 0)).toBe(3);
    expect(caught.webhooks).toHaveLength(3);
    const late = await textOf(submit(member, RESEND, days()));
    expect(late).toMatch(/Resent: 0\. .*Not resent: 3\./);
    lagging.mockRestore();
    await deliver();
    for (const uniqueId of ['order-1', 'order-2', 'order-3']) {
      expect(await statusOf(uniqueId)).toBe('delivered');
    }
    await project();
    expect(await textOf(visit(member, RESEND))).toContain('No failed events');
    const details = (await auditLog()).map(({ action, detail }) => [action, JSON.parse(detail)]);
    expect(details.slice(-2)).toEqual([
      ['events.resend_requested', { ...days(), events: 3 }],
      ['events.resend_requested', { ...days(), resent: 0, unchanged: 3, unreachable: 0 }],
    ]);
  });

  test('sends one batch for each form, and says how many events are left', async () => {
    const member = await signedIn('developer');
    await announce('order-1');
    advance(SECOND_MS);
    await insertFailed(new Array(RESEND_BATCH).fill('gone'));
    const first = await (await submit(member, RESEND, days())).text();
    expect(first).toContain(`Not resent: ${RESEND_BATCH}.`);
    // One, and perhaps another of the same millisecond.
    expect(first).toMatch(/Remaining: at most [12]\./);
    const cursor = /name="cursor" value="([^"]+)"/.exec(first)?.[1] ?? '';
    const second = await textOf(submit(member, RESEND, { ...days(), cursor }));
    expect(second).toMatch(/Resent: 1\. .*All done\./);
    expect(caught.webhooks).toHaveLength(1);
  });

  test('counts what is left of a millisecond that fills more than a batch', async () => {
    const member = await signedIn('developer');
    const failed = RESEND_BATCH + 1;
    await insertFailed(new Array(failed).fill('gone'), 0);
    // The book still has those of the batch.
    expect(await textOf(submit(member, RESEND, days()))).toContain(`Remaining: at most ${failed}.`);
  });

  test('covers only the chosen days', async () => {
    const member = await signedIn('developer');
    await announce('order-1');
    const before = days();
    advance(2 * DAY_MS);
    // A day is longer than a session.
    const again = await sessionFor(member.memberId);
    await announce('order-2');
    await submit(again, RESEND, before);
    expect(await statusOf('order-1')).toBe('queued');
    expect(await statusOf('order-2')).toBe('dead');
  });

  test('reports an unreachable object, whose event stays failed', async () => {
    const member = await signedIn('developer');
    await announce('order-1');
    vi.spyOn(env.PAYMENT_INTENT, 'get').mockImplementation(() => {
      throw Object.assign(new Error('overloaded'), { overloaded: true });
    });
    expect(await textOf(submit(member, RESEND, days()))).toContain('Could not be reached: 1.');
    vi.mocked(env.PAYMENT_INTENT.get).mockRestore();
    expect(await statusOf('order-1')).toBe('dead');
  });

  test.each([
    { from: 'x', to: '' },
    { from: '2026-11-02', to: '2026-11-01' },
  ])('rejects %j and sends nothing', async (fields) => {
    const member = await signedIn('developer');
    await announce('order-1');
    expect((await submit(member, RESEND, fields)).status).toBe(400);
    expect(caught.webhooks).toEqual([]);
    expect(await auditLog()).toEqual([]);
  });
});

test('creates no storage for an unknown payment id', async () => {
  expect((await visit(await signedIn(), `${EVENTS}/unknown/1`)).status).toBe(404);
  expect(await allRows('unknown')).toEqual({});
});
