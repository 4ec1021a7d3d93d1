import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { REFERENCE_LENGTH, referenceFrom } from '../../src/domain/identifiers.ts';
import type { Attempt, FailureReason, IntentTerms } from '../../src/domain/intent.ts';
import { timestampText } from '../../src/rails/mpesa/push.ts';
import { mpesaRail } from '../../src/rails/mpesa/rail.ts';
import type { CallbackResult, Rail, RailOrder } from '../../src/rails/rail.ts';
import { type MpesaStandIn, startMpesaStandIn } from '../support/rails/mpesa.ts';
import {
  SAMPLE_REQUEST,
  SAMPLE_TOKEN,
  settingsOf,
  VALID_SETTINGS,
} from '../support/rails/mpesa-fixtures.ts';
import { orderFor } from '../support/rails/order.ts';
import {
  type CallbackVariant,
  type CustomerAct,
  type Fault,
  jsonReply,
  type Plan,
  type StandIn,
  type StandInOrder,
  StandInServer,
} from '../support/rails/stand-in.ts';

/** For starts that get no answer: the others wait as long as in production. */
const SHORT_TIMEOUT_MS = 1_000;

const PHONE = '251711234567';

let standIn: MpesaStandIn;
/** The gateway's callback address: keeps what the rail posts there. */
let gateway: StandInServer;

beforeAll(async () => {
  standIn = await startMpesaStandIn();
  gateway = await StandInServer.start(async () => jsonReply(200, { ResultCode: 0 }));
});
afterAll(async () => {
  await Promise.all([standIn.stop(), gateway.stop()]);
});

describe('a start', () => {
  it('asks for a token, then pushes: two requests, whole', async () => {
    const own = await startMpesaStandIn();
    const order = newOrder(150_050);
    const from = Date.now();
    const result = await railOf(own).start(order);
    const standInOrder = await own.order(order.attempt.reference);
    expect(result).toEqual({
      type: 'accepted',
      redirectUrl: null,
      railReference: expect.any(String),
    });
    expect(standInOrder).toMatchObject({ amountText: '1500.5', phone: PHONE, acted: null });

    const settings = settingsOf(own.settings);
    expect(settings).toEqual({ ...own.settings, promptWindowSeconds: 180 });
    const [token, push] = own.calls;
    expect(own.calls).toHaveLength(2);
    const credentials = `${settings.consumerKey}:${settings.consumerSecret}`;
    const transport = {
      host: new URL(own.baseUrl).host,
      connection: 'keep-alive',
      accept: 'application/json',
      'accept-encoding': 'gzip, deflate',
      'accept-language': '*',
      'sec-fetch-mode': 'cors',
      'user-agent': 'node',
    };
    expect(token).toEqual({
      method: 'GET',
      url: '/v1/token/generate?grant_type=client_credentials',
      headers: {
        ...transport,
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      },
      body: '',
    });
    expect(push).toEqual({
      method: 'POST',
      url: '/mpesa/stkpush/v3/processrequest',
      headers: {
        ...transport,
        authorization: expect.stringMatching(/^Bearer [\w-]{19}$/),
        'content-type': 'application/json',
        'content-length': String(push?.body.length),
      },
      body: expect.any(String),
    });
    const body = JSON.parse(push?.body ?? '');
    const { Timestamp } = body;
    const digest = createHash('sha256')
      .update(`${settings.shortcode}${settings.passkey}${Timestamp}`)
      .digest('hex');
    expect(body).toEqual({
      MerchantRequestID: order.attempt.reference,
      BusinessShortCode: settings.shortcode,
      Password: Buffer.from(digest).toString('base64'),
      Timestamp: expect.stringMatching(/^\d{14}$/),
      TransactionType: 'CustomerPayBillOnline',
      Amount: 1500.5,
      PartyA: PHONE,
      PartyB: settings.shortcode,
      PhoneNumber: PHONE,
      CallBackURL: order.callbackUrl,
      AccountReference: order.attempt.reference.slice(0, 12),
      TransactionDesc: 'Tomoca Coffee',
      ReferenceData: [{ Key: 'ThirdPartyReference', Value: order.attempt.reference }],
    });
    // The same members, in the same order, as the official sample.
    expect(Object.keys(body)).toEqual(Object.keys(SAMPLE_REQUEST));
    expect(push?.body).toContain('"Amount":1500.5,');
    expect([timestampText(from), timestampText(Date.now())]).toContainEqual(Timestamp);
    await own.stop();
  });

  it('sends the type, the form and the credited party of the settings', async () => {
    // Answers as the sample does, whatever it is asked for.
    const any = await StandInServer.start(async () => jsonReply(200, SAMPLE_TOKEN));
    const switches = { transactionType: 'CustomerBuyGoodsOnline', passwordForm: 'kenya' };
    const secret = { ...VALID_SETTINGS, ...switches, partyB: '554433', baseUrl: any.baseUrl };
    await mpesaRail(settingsOf(secret)).start(newOrder());
    const body = JSON.parse(any.calls[1]?.body ?? '');
    expect(body).toMatchObject({ TransactionType: 'CustomerBuyGoodsOnline', PartyB: '554433' });
    const plain = `1020${VALID_SETTINGS.passkey}${body.Timestamp}`;
    expect(Buffer.from(body.Password, 'base64').toString()).toBe(plain);
    await any.stop();
  });

  it('is for numbers of Safaricom Ethiopia alone: others are refused before any call', async () => {
    const before = standIn.calls.length;
    for (const phone of [null, '', '251911234567', '711234567', '25171123456', `${PHONE}8`]) {
      const order = newOrder(100, { phone });
      expect(await railOf(standIn).start(order)).toEqual({ type: 'refused', reason: 'declined' });
    }
    expect(standIn.calls).toHaveLength(before);
  });

  it.each<readonly [NonNullable<Plan['refuses']>, FailureReason]>([
    ['declines', 'declined'],
    ['lacks_funds', 'declined'],
    ['misconfigured', 'misconfigured'],
    ['unavailable', 'rail_unavailable'],
  ])('that the rail refuses (%s) took no money: %s', async (refuses, reason) => {
    const order = plannedOrder({ refuses });
    expect(await railOf(standIn).start(order)).toEqual({ type: 'refused', reason });
  });

  it.each<Fault>(['http_500', 'reset', 'hang', 'truncated', 'taken_then_reset', 'taken_then_hang'])(
    'whose push meets the fault %s is unknown, and is made once',
    async (start) => {
      const order = plannedOrder({ start });
      expect(await railOf(standIn, SHORT_TIMEOUT_MS).start(order)).toEqual({ type: 'unknown' });
      const { reference } = order.attempt;
      const pushes = standIn.calls.filter(({ body }) => body.includes(`"${reference}"`));
      expect(pushes).toHaveLength(1);
    },
  );

  it('with a wrong key, secret or password is misconfigured', async () => {
    const wrong = [{ consumerKey: 'x' }, { consumerSecret: 'x' }, { passkey: 'x' }];
    for (const changed of [...wrong, { passwordForm: 'kenya' }, { shortcode: '123' }]) {
      const rail = mpesaRail(settingsOf({ ...standIn.settings, ...changed }));
      const result = await rail.start(newOrder());
      expect(result).toEqual({ type: 'refused', reason: 'misconfigured' });
    }
  });

  it('with a rail that cannot be reached took no money', async () => {
    const gone = await startMpesaStandIn();
    await gone.stop();
    const result = await railOf(gone).start(newOrder());
    expect(result).toEqual({ type: 'refused', reason: 'rail_unavailable' });
  });

  it('accepts nothing that the strict stand-in refuses, whatever the texts', async () => {
    const names = [
      `${'☕ ክፈል\u0000\n"\\'.repeat(150)}`.slice(0, 1_000),
      'ቶሞካ ቡና',
      '"; DROP TABLE orders; --',
      `<script>${'a'.repeat(991)}`,
      '\ud83d',
      ' ',
    ];
    for (const merchantName of names) {
      const order = newOrder(100, {}, { merchantName, description: merchantName });
      expect(await railOf(standIn).start(order)).toMatchObject({ type: 'accepted' });
    }
  });
});

describe('the token', () => {
  let own: MpesaStandIn;
  beforeEach(async () => {
    own = await startMpesaStandIn();
  });
  afterEach(async () => {
    await own.stop();
  });
  const paths = () => own.calls.map(({ url }) => (url.startsWith('/v1/token') ? 'token' : 'push'));

  it('is asked for once while it lasts, also by another adapter of the same settings', async () => {
    for (const rail of [railOf(own), railOf(own)]) {
      expect(await rail.start(newOrder())).toMatchObject({ type: 'accepted' });
    }
    expect(paths()).toEqual(['token', 'push', 'push']);
  });

  it('is another one for another account', async () => {
    await railOf(own).start(newOrder());
    const other = mpesaRail(settingsOf({ ...own.settings, consumerSecret: 'wrong' }));
    const result = await other.start(newOrder());
    expect(result).toEqual({ type: 'refused', reason: 'misconfigured' });
  });

  it('is not used in its last minute', async () => {
    own.giveTokensFor(60);
    await railOf(own).start(newOrder());
    await railOf(own).start(newOrder());
    expect(paths()).toEqual(['token', 'push', 'token', 'push']);
  });

  it('that the rail refuses is renewed, and the push made once more', async () => {
    await railOf(own).start(newOrder());
    own.revokeTokens();
    expect(await railOf(own).start(newOrder())).toMatchObject({ type: 'accepted' });
    expect(paths()).toEqual(['token', 'push', 'push', 'token', 'push']);
  });

  it('that is refused twice is a matter for the operator', async () => {
    own.giveTokensFor(0);
    const result = await railOf(own).start(newOrder());
    expect(result).toEqual({ type: 'refused', reason: 'misconfigured' });
    expect(paths()).toEqual(['token', 'push', 'token', 'push']);
  });

  it.each([
    ['resets', { type: 'reset' }, 'rail_unavailable'],
    ['hangs', { type: 'hang' }, 'rail_unavailable'],
    ['breaks off', { type: 'truncated', body: '{"access_token":"abc"}' }, 'rail_unavailable'],
    ['fails', { type: 'answer', status: 503, body: '<html>' }, 'rail_unavailable'],
    ['is asked too often', { type: 'answer', status: 429, body: '' }, 'rail_unavailable'],
    ['redirects', { type: 'answer', status: 302, body: '' }, 'rail_unavailable'],
    ['says nothing', jsonReply(200, {}), 'rail_unavailable'],
    ['gives no header', jsonReply(200, { access_token: 'a\nb' }), 'rail_unavailable'],
    ['refuses', jsonReply(200, { resultCode: '999991' }), 'misconfigured'],
    ['refuses by number', jsonReply(200, { resultCode: 999997 }), 'misconfigured'],
    ['refuses without a word', { type: 'answer', status: 401, body: '' }, 'misconfigured'],
  ] as const)('call that %s: nothing was pushed', async (_name, reply, reason) => {
    own.answerTokens(reply);
    expect(await railOf(own, SHORT_TIMEOUT_MS).start(newOrder())).toEqual({
      type: 'refused',
      reason,
    });
    expect(paths()).toEqual(['token']);
  });

  it('that comes without a life is used and not kept', async () => {
    const lives: readonly unknown[] = [undefined, null, 'soon', '-5', 1e300, { toString: 1 }];
    for (const expires_in of lives) {
      own.answerTokens(jsonReply(200, { access_token: 'unknown-to-the-rail', expires_in }));
      const before = own.calls.length;
      await railOf(own).start(newOrder());
      expect(paths().slice(before)).toEqual(['token', 'push', 'token', 'push']);
    }
  });
});

describe('plan, page and query', () => {
  it('wait three minutes for the phone, ask nobody, and end nothing', async () => {
    const nowMs = Date.now();
    const rail = mpesaRail(settingsOf(VALID_SETTINGS));
    const order = newOrder();
    expect(rail.plan(order.terms, 'M_PESA', nowMs)).toEqual({
      flow: 'push',
      deadlineAtMs: nowMs + 180_000,
      windowIsFinal: false,
      checkAtMs: null,
    });
    expect(rail.pageUrl(order)).toBeNull();
    expect(await rail.query(order, nowMs)).toEqual({ type: 'unknown', checkAtMs: null });
    expect(rail).toMatchObject({ id: 'mpesa', currencies: ['ETB'], startsInQueue: false });
    expect(rail.startTimeoutMs).toBe(15_000);
  });
});

describe('a callback', () => {
  it.each<readonly [CustomerAct, FailureReason]>([
    ['declines', 'declined'],
    ['lacks_funds', 'insufficient_funds'],
    ['mistypes_pin', 'wrong_pin'],
    ['cancels', 'canceled_by_customer'],
    ['times_out', 'timed_out'],
  ])('of a customer who %s fails the attempt: %s', async (act, reason) => {
    const order = await startedOrder();
    const posted = await postedBy(order, (rail) => rail.act(act));
    const result = await railOf(standIn).handleCallback(posted, order);
    expect(result).toMatchObject({ type: 'outcome', outcome: { type: 'failed', reason } });
    await expectAccepted(result);
  });

  it('of a customer who pays settles the attempt, again and again, with the receipt', async () => {
    const order = await startedOrder();
    for (const again of [false, true]) {
      const posted = await postedBy(order, (rail) => (again ? rail.callback() : rail.act('pays')));
      const result = await railOf(standIn).handleCallback(posted, order);
      expect(result).toEqual({
        type: 'outcome',
        outcome: { type: 'succeeded', receipt: expect.stringMatching(/^[A-Z0-9]{10}$/) },
        givesUp: false,
        onlyPending: false,
        answer: expect.any(Function),
      });
      await expectAccepted(result);
    }
  });

  it('that proves payment counts for an attempt that failed or whose window has passed', async () => {
    const order = await startedOrder();
    await postedBy(order, (rail) => rail.act('times_out'));
    for (const status of ['failed', 'unresolved'] as const) {
      const posted = await postedBy(order, (rail) => rail.act('pays'));
      const late = { ...order, attempt: { ...order.attempt, status, deadlineAtMs: 0 } };
      const result = await railOf(standIn).handleCallback(posted, late);
      expect(result).toMatchObject({ type: 'outcome', outcome: { type: 'succeeded' } });
    }
  });

  it.each<readonly [CallbackVariant, string]>([
    ['forged', 'other_order'],
    ['other_order', 'other_order'],
    ['wrong_amount', 'wrong_amount'],
    ['unreadable', 'unreadable'],
  ])('that is %s changes nothing: %s', async (variant, suspicion) => {
    const order = await startedOrder();
    const posted = await postedBy(order, (rail) => rail.callback(variant));
    const result = await railOf(standIn).handleCallback(posted, order);
    expect(result).toMatchObject({ type: 'refused', suspicion });
    await expectRejected(result);
  });

  it('that overtakes the answer to the push is read without the rail’s id', async () => {
    const order = plannedOrder({ act: 'pays', callback: 'before_answer' });
    const { length } = gateway.calls;
    const started = await railOf(standIn).start(order);
    expect(started).toMatchObject({ type: 'accepted' });
    const result = await railOf(standIn).handleCallback(requestOf(length), order);
    expect(result).toMatchObject({ type: 'outcome', outcome: { type: 'succeeded' } });
  });

  it.each<Fault>(['taken_then_reset', 'truncated'])(
    'settles a payment whose start was unknown (%s)',
    async (start) => {
      const order = plannedOrder({ start });
      expect(await railOf(standIn).start(order)).toEqual({ type: 'unknown' });
      const posted = await postedBy(order, (rail) => rail.act('pays'));
      const result = await railOf(standIn).handleCallback(posted, order);
      expect(result).toMatchObject({ type: 'outcome', outcome: { type: 'succeeded' } });
    },
  );

  it('comes by itself after the answer', async () => {
    const order = plannedOrder({ act: 'cancels' });
    const { length } = gateway.calls;
    await railOf(standIn).start(order);
    await expect.poll(() => gateway.calls.length).toBe(length + 1);
    const result = await railOf(standIn).handleCallback(requestOf(length), order);
    expect(result).toMatchObject({ outcome: { type: 'failed', reason: 'canceled_by_customer' } });
  });

  it('of more than 64 KiB is not read', async () => {
    const order = await startedOrder();
    const body = `{"x":"${'x'.repeat(64 * 1024)}"}`;
    const posted = new Request(order.callbackUrl, { method: 'POST', body });
    const result = await railOf(standIn).handleCallback(posted, order);
    expect(result).toMatchObject({ type: 'refused', suspicion: 'unreadable' });
    await expectRejected(result);
  });
});

describe('the stand-in', () => {
  it('refuses what the rail would refuse', async () => {
    const order = newOrder();
    await railOf(standIn).start(order);
    const good = standIn.calls.at(-1);
    const resend = async (change: (body: Record<string, unknown>) => void, header = {}) => {
      const body = JSON.parse(good?.body ?? '');
      body.MerchantRequestID = newReference();
      change(body);
      const { authorization = '' } = good?.headers ?? {};
      const headers = { authorization, 'content-type': 'application/json', ...header };
      const response = await fetch(`${standIn.baseUrl}${good?.url}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      return (await response.json()) as Readonly<Record<string, string>>;
    };
    const same = (body: Record<string, unknown>) => body;
    expect(await resend(same)).toMatchObject({ ResponseCode: '0' });
    expect(await resend((body) => (body.Extra = 1))).toMatchObject({
      errorMessage: 'Bad Request - Invalid Extra',
    });
    const names = Object.keys(SAMPLE_REQUEST);
    for (const name of names) {
      expect(await resend((body) => delete body[name])).toMatchObject({
        errorMessage: `Bad Request - Invalid ${name}`,
      });
      expect(await resend((body) => (body[name] = '?'))).toMatchObject({
        errorMessage: `Bad Request - Invalid ${name}`,
      });
    }
    for (const Amount of ['20', 0, 1.005, 1e21]) {
      const answer = await resend((body) => (body.Amount = Amount));
      expect(answer).toMatchObject({ errorMessage: 'Bad Request - Invalid Amount' });
    }
    const repeated = (body: Record<string, unknown>) =>
      (body.MerchantRequestID = order.attempt.reference);
    expect(await resend(repeated)).toMatchObject({ ResponseCode: '1' });
    expect(await resend(same, { authorization: 'Bearer guessed' })).toMatchObject({
      errorCode: '404.001.03',
    });
  });

  it('shows prompts that wait and lets a person answer them', async () => {
    const order = await startedOrder();
    const { reference } = order.attempt;
    const page = () => fetch(standIn.baseUrl).then((response) => response.text());
    expect(await page()).toContain(reference);
    expect(await page()).toContain('STAND-IN');
    const { length } = gateway.calls;
    const form = new URLSearchParams({ orderId: reference, act: 'pays' });
    const acted = await fetch(`${standIn.baseUrl}/desk`, {
      method: 'POST',
      body: form,
      redirect: 'manual',
    });
    expect([acted.status, acted.headers.get('location')]).toEqual([303, '/']);
    expect(await page()).not.toContain(reference);
    const result = await railOf(standIn).handleCallback(requestOf(length), order);
    expect(result).toMatchObject({ type: 'outcome', outcome: { type: 'succeeded' } });
  });
});

function railOf({ settings }: StandIn, startTimeoutMs?: number): Rail {
  return mpesaRail(settingsOf(settings), startTimeoutMs);
}

function newReference(): string {
  return referenceFrom(crypto.getRandomValues(new Uint8Array(REFERENCE_LENGTH)));
}

/** An order that reports to `gateway`. */
function newOrder(
  amountMinor = 150_000,
  attempt: Partial<Attempt> = {},
  terms: Partial<IntentTerms> = {},
): RailOrder {
  return orderFor(railOf(standIn), 'M_PESA', {
    attempt: { reference: newReference(), phone: PHONE, ...attempt },
    terms: { amountMinor, ...terms },
    order: { callbackUrl: `${gateway.baseUrl}/rails/mpesa/test1.attempt-token` },
  });
}

let lastPlannedMinor = 700_000;

/** An order of an amount of its own, for which the stand-in does as `plan` says. */
function plannedOrder(plan: Plan): RailOrder {
  lastPlannedMinor += 101;
  const order = newOrder(lastPlannedMinor);
  standIn.plan(String(lastPlannedMinor / 100), plan);
  return order;
}

/** An order whose push was taken, with what the rail calls it. */
async function startedOrder(): Promise<RailOrder> {
  const order = newOrder();
  const result = await railOf(standIn).start(order);
  if (result.type !== 'accepted') {
    throw new Error(`not accepted: ${result.type}`);
  }
  return { ...order, attempt: { ...order.attempt, railReference: result.railReference } };
}

/** What the rail posts to the gateway when `make` is done with the order. */
async function postedBy(
  { attempt }: RailOrder,
  make: (order: StandInOrder) => Promise<unknown>,
): Promise<Request> {
  const { length } = gateway.calls;
  await make(await standIn.order(attempt.reference));
  return requestOf(length);
}

/** The call of that number to the gateway, as its router hands it over. */
function requestOf(index: number): Request {
  const call = gateway.calls[index];
  if (call === undefined) {
    throw new Error('the rail posted nothing');
  }
  const { method, url, body } = call;
  const contentType = call.headers['content-type'] ?? '';
  const headers = { 'content-type': contentType };
  return new Request(`${gateway.baseUrl}${url}`, { method, headers, body });
}

async function expectAccepted(result: CallbackResult): Promise<void> {
  if (result.type !== 'outcome') {
    throw new Error(`refused: ${result.suspicion}`);
  }
  const answer = result.answer({ customerUrl: 'https://pay.example.com/' });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({ ResultCode: 0, ResultDesc: 'Accepted' });
}

async function expectRejected(result: CallbackResult): Promise<void> {
  if (result.type !== 'refused') {
    throw new Error('taken');
  }
  expect(result.answer.status).toBe(400);
  expect(await result.answer.json()).toEqual({ ResultCode: 1, ResultDesc: 'Rejected' });
}
