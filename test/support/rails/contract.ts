import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startPhones } from '../../../scripts/stand-ins/phones.ts';
import {
  type CallbackVariant,
  CUSTOMER_ACTS,
  type CustomerAct,
  type Fault,
  jsonReply,
  type Plan,
  type Reply,
} from '../../../scripts/stand-ins/stand-in.ts';
import { bareBase64, rsaKeyPair } from '../../../scripts/stand-ins/telebirr-h5-wire.ts';
import type { FailureReason, Outcome } from '../../../src/engine/domain/attempt.ts';
import type { CallbackReading, CallbackSuspicion } from '../../../src/engine/rails/callback.ts';
import type { Rail } from '../../../src/engine/rails/rail.ts';
import type { RailOrder } from '../../../src/engine/rails/rail-order.ts';
import { CALL_FAULTS } from './faults.ts';
import { linesAbout, watchRailAnswers } from './logged.ts';
import { ETHIO, PLAYERS, SAFARICOM } from './players.ts';
import { DIRECT, type Player, RailScene, type Way } from './scene.ts';
import { endTimeoutsOnSilence } from './timeouts.ts';

/**
 * Goal: what every rail must do with any wire: only a genuine report or query about this order ends
 * an attempt, a lost answer is unknown and Kefel never repeats the call, and a refusal says who
 * caused it. Method: each customer's act, fault, report and refusal, played for each rail by its
 * stand-in. Bytes, codes and what a stand-in would never send are in the tests of each rail.
 */

/** What a report about an act proves; null: the provider reports nothing. */
type Proof = 'paid' | FailureReason | 'open' | null;

/** A start that the provider refuses; `unknown`: it may have acted. Code, HTTP status, log level. */
type Refusal = readonly [FailureReason | 'unknown', (string | undefined)?, number?, 'info'?];

interface Row {
  readonly name: string;
  readonly player: Player;
  readonly rail: Pick<Rail, 'id' | 'currencies' | 'startTimeoutMs'>;
  /** How the provider writes `AMOUNTS_MINOR`. */
  readonly amounts: readonly string[];
  /** Names of the calls in the log; `report` is what is logged about a report. */
  readonly calls: Readonly<Record<'start' | 'report' | 'query', string>>;
  /** The bodies with which reports are accepted and refused. */
  readonly replies: readonly [accepted: unknown, refused: unknown];
  readonly acts: Readonly<Record<CustomerAct, Proof>>;
  /** The provider's codes for acts, where it has its own for each. */
  readonly codes?: Readonly<Partial<Record<CustomerAct, string>>>;
  readonly receipt: RegExp | null;
  /** Why each wrong report is refused, and the HTTP status; null: it only makes us ask. */
  readonly wrong: Readonly<
    Record<
      Exclude<CallbackVariant, 'genuine'>,
      readonly [CallbackSuspicion, number] | 'unknown_url' | null
    >
  >;
  readonly refuses: Readonly<Partial<Record<NonNullable<Plan['refuses']>, Refusal>>>;
  /** The operator's mistakes. The provider refuses each of them. */
  readonly wrongSettings: readonly Readonly<Record<string, unknown>>[];
  /** A second start of the same order: it is not repeated, and proves nothing about the first. */
  readonly again: object;
  /** Speaks XML, whose reader has tests of its own. */
  readonly isXml?: true;
  /** Signs in before each call. */
  readonly usesTokens?: true;
  /** The start is computed, so that no provider can fail it. */
  readonly startsWithoutCall?: true;
  /** Without a provider that listens. */
  readonly unreachable: FailureReason | 'unknown';
  readonly otherCurrencies?: 'accepted';
  /** Numbers without an account at the provider. */
  readonly refusedPhones: readonly (string | null)[];
  /** How the provider's status query answers: at once, by a later report, or there is none. */
  readonly query: 'at_once' | 'by_report' | 'none';
  /** What a query proves after an act, where that differs from a report. */
  readonly queried?: Readonly<Partial<Record<CustomerAct, readonly [Proof, string]>>>;
  /** The provider's code for an order on which the customer has not acted. */
  readonly waiting?: string;
  /** Names the provider's own id of the order in the log. */
  readonly logsReference?: true;
  /** Where a person at the provider's page comes back to, after leaving it and after paying. */
  readonly backFromPage?: (order: RailOrder) => readonly [left: string | null, paid: unknown];
}

const AMOUNTS_MINOR = [1, 10, 100, 115, 2_000, 150_050, 6_000_000_001, 99_999_999_999] as const;
const WITH_DECIMALS = [
  ...['0.01', '0.10', '1.00', '1.15', '20.00', '1500.50', '60000000.01', '999999999.99'],
];
const AS_NUMBERS = ['0.01', '0.1', '1', '1.15', '20', '1500.5', '60000000.01', '999999999.99'];

/** Each rail knows one of these. */
const REFUSED_TOKEN = { errorCode: '60200001' };

/** Answers to a sign-in that bring no token: then nothing was started. */
const SIGN_INS: readonly (readonly [string, Reply, FailureReason])[] = [
  ['resets', { type: 'reset' }, 'rail_unavailable'],
  ['hangs', { type: 'hang' }, 'rail_unavailable'],
  [
    'breaks off',
    { type: 'truncated', body: '{"token":"a","access_token":"a"}' },
    'rail_unavailable',
  ],
  ['fails', { type: 'answer', status: 502, body: '<html>' }, 'rail_unavailable'],
  ['is one too many', jsonReply(429, {}), 'rail_unavailable'],
  ['is no JSON', { type: 'answer', status: 200, body: 'OK' }, 'rail_unavailable'],
  ['has no token', jsonReply(200, { expires_in: 300 }), 'rail_unavailable'],
  [
    'does not fit in a header',
    jsonReply(200, { token: 'Bearer a\r\nb', access_token: 'a\r\nb' }),
    'rail_unavailable',
  ],
  ['is refused', jsonReply(401, {}), 'misconfigured'],
];

/** What merchants may write and providers may mishandle. */
const HOSTILE_TEXTS = [
  `${'☕ ክፈል ቡና\u0000\r\n"\\</b>%+&=😀👩🏽‍🌾\u202e\u{e0041}\ufeff é'.repeat(50)}`.slice(0, 1_000),
  String.fromCharCode(...Array.from({ length: 256 }, (_, code) => code)).repeat(3),
  '"; DROP TABLE orders; --<script>]]>&total_amount=0.01',
  '\ud83d',
  '\ufdfa'.repeat(1_000),
  'ቶሞካ ቡና',
  ' ',
];

const REASONS = {
  pays: 'paid',
  declines: 'declined',
  lacks_funds: 'insufficient_funds',
  mistypes_pin: 'wrong_pin',
  cancels: 'canceled_by_customer',
  times_out: 'timed_out',
} as const;
const USSD_CODES = {
  pays: '0',
  declines: 'X200',
  lacks_funds: 'X201',
  mistypes_pin: 'X202',
  cancels: 'X203',
  times_out: 'X204',
};
const USSD_REFUSALS = {
  unavailable: ['rail_unavailable', 'X103'],
  declines: ['declined', 'X200'],
  lacks_funds: ['insufficient_funds', 'X201', 200, 'info'],
  mistypes_pin: ['wrong_pin', 'X202', 200, 'info'],
  cancels: ['canceled_by_customer', 'X203', 200, 'info'],
  times_out: ['timed_out', 'X204', 200, 'info'],
} as const;
const USSD = {
  isXml: true,
  rail: { id: 'telebirr-ussd', currencies: ['ETB'], startTimeoutMs: 20_000 },
  amounts: WITH_DECIMALS,
  calls: {
    start: 'InitTrans_BuyGoodsForCustomer',
    report: 'callback',
    query: 'QueryTransactionStatus',
  },
  replies: [expect.stringContaining('ResponseCode>0<'), expect.stringContaining('ResponseCode>1<')],
  acts: REASONS,
  codes: USSD_CODES,
  receipt: /^[0-9A-F]{10}$/,
  wrong: {
    forged: ['not_authentic', 401],
    // Results contain no amount, so one with a wrong amount is one of another payment.
    wrong_amount: ['other_order', 400],
    other_order: ['other_order', 400],
    unreadable: ['unreadable', 400],
  },
  wrongSettings: [
    { relayHeaders: {} },
    { thirdPartyId: 'Another caller' },
    { password: 'wrong' },
    { operatorId: 'wrong' },
    { securityCredential: 'wrong' },
    { shortCode: '999999' },
  ],
  again: { type: 'unknown' },
  unreachable: 'unknown',
  refusedPhones: [null, '911234567', '0911234567', '254711234567', '2519112345678'],
  query: 'at_once',
  queried: {
    pays: ['paid', 'Completed'],
    declines: ['declined', 'Declined'],
    times_out: ['open', 'Expired'],
  },
  waiting: 'Pending',
} as const;

/** telebirr, wherever the customer pays. */
const TELEBIRR = {
  rail: { id: 'telebirr-h5', currencies: ['ETB'], startTimeoutMs: 30_000 },
  amounts: WITH_DECIMALS,
  calls: { start: 'preOrder', report: 'queryOrder', query: 'queryOrder' },
  replies: [
    '{"code":0,"msg":"success"}',
    expect.stringMatching(/^{"code":4\d\d,"msg":"refused"}$/),
  ],
  acts: {
    pays: 'paid',
    declines: 'declined',
    lacks_funds: 'declined',
    mistypes_pin: 'declined',
    cancels: 'declined',
    times_out: 'timed_out',
  },
  codes: {
    pays: 'PAY_SUCCESS',
    declines: 'PAY_FAILED',
    lacks_funds: 'PAY_FAILED',
    mistypes_pin: 'PAY_FAILED',
    cancels: 'PAY_FAILED',
    times_out: 'ORDER_CLOSED',
  },
  waiting: 'WAIT_PAY',
  backFromPage: ({ returnUrl }: RailOrder) => [
    null,
    expect.stringMatching(`^${returnUrl}\\?.*trade_status=PAY_SUCCESS`),
  ],
  receipt: /^[A-Z0-9]{10}$/,
  wrong: {
    forged: ['not_authentic', 403],
    wrong_amount: ['wrong_amount', 409],
    other_order: ['other_order', 409],
    unreadable: ['unreadable', 400],
  },
  refuses: {
    misconfigured: ['misconfigured', '60200099', 500],
    unavailable: ['rail_unavailable', '49401021002', 400],
  },
  wrongSettings: [
    { appSecret: 'another' },
    { fabricAppId: '00000000-0000-4000-8000-000000000000' },
    { merchantAppId: '1' },
    { merchantCode: '1000000' },
    { merchantPrivateKey: bareBase64(rsaKeyPair().privateKey) },
    { signatureScheme: 'pkcs1' },
  ],
  // The answer offers no page, so the customer cannot pay twice.
  again: { type: 'refused', reason: 'declined' },
  usesTokens: true,
  unreachable: 'rail_unavailable',
  refusedPhones: [],
  query: 'at_once',
} as const satisfies Omit<Row, 'name' | 'player'>;

const ROWS: readonly Row[] = [
  { ...TELEBIRR, name: 'telebirr H5', player: PLAYERS.telebirrH5 },
  {
    ...TELEBIRR,
    name: 'telebirr in a merchant’s app',
    player: PLAYERS.telebirrInApp,
    calls: { ...TELEBIRR.calls, start: 'createOrder' },
  },
  { ...TELEBIRR, name: 'telebirr in a mini app', player: PLAYERS.telebirrMiniApp },
  {
    ...USSD,
    name: 'telebirr USSD',
    player: PLAYERS.telebirrUssd,
    refuses: { ...USSD_REFUSALS, misconfigured: ['misconfigured', '1001'] },
  },
  {
    ...USSD,
    name: 'telebirr USSD, synchronous',
    player: PLAYERS.telebirrUssdSynchronous,
    rail: { ...USSD.rail, startTimeoutMs: 150_000 },
    // A result has no code of its own for an unknown caller.
    wrongSettings: [{ relayHeaders: {} }],
    refuses: { ...USSD_REFUSALS, misconfigured: ['declined', '1001'] },
  },
  {
    name: 'CBE Birr',
    player: PLAYERS.cbeBirr,
    logsReference: true,
    rail: { id: 'cbe-birr', currencies: ['ETB'], startTimeoutMs: 1_000 },
    amounts: AS_NUMBERS,
    calls: { start: '', report: 'TXNSTAT', query: 'TXNSTAT' },
    replies: ['OK', expect.anything()],
    acts: {
      pays: 'paid',
      declines: 'declined',
      lacks_funds: 'declined',
      mistypes_pin: 'declined',
      cancels: 'declined',
      times_out: 'declined',
    },
    codes: {
      pays: 'Birr Moved',
      declines: 'Turned Down',
      lacks_funds: 'Not Moved',
      mistypes_pin: 'Not Moved',
      cancels: 'Walked Away',
      times_out: 'Not Moved',
    },
    receipt: null,
    wrong: {
      forged: ['not_authentic', 401],
      wrong_amount: ['not_authentic', 401],
      other_order: ['other_order', 409],
      unreadable: ['unreadable', 400],
    },
    refuses: {},
    wrongSettings: [],
    again: { type: 'accepted' },
    waiting: 'At Counter',
    startsWithoutCall: true,
    unreachable: 'unknown',
    refusedPhones: [],
    query: 'at_once',
  },
  {
    name: 'EthSwitch, billing gateway',
    player: PLAYERS.nbg,
    rail: { id: 'ethswitch-nbg', currencies: ['ETB'], startTimeoutMs: 20_000 },
    amounts: WITH_DECIMALS,
    calls: { start: 'order.create', report: 'callback', query: '' },
    replies: ['{"code":"SUCCESS"}', '{"code":"FAILED"}'],
    acts: {
      pays: 'paid',
      declines: 'declined',
      lacks_funds: 'declined',
      mistypes_pin: 'declined',
      cancels: null,
      times_out: null,
    },
    codes: {
      pays: 'PAID 200',
      declines: 'FAILED 200',
      lacks_funds: 'FAILED 200',
      mistypes_pin: 'FAILED 200',
    },
    receipt: /^PAY[0-9A-F]{8}$/,
    wrong: {
      forged: ['other_order', 400],
      wrong_amount: ['wrong_amount', 400],
      other_order: ['other_order', 400],
      unreadable: ['unreadable', 400],
    },
    refuses: {
      misconfigured: ['misconfigured', undefined, 403],
      unavailable: ['rail_unavailable', undefined, 429],
    },
    wrongSettings: [{ password: 'old' }],
    // NBG already has the order's number, perhaps from our own call.
    again: { type: 'unknown' },
    backFromPage: ({ checkoutUrl, returnUrl }) => [checkoutUrl, returnUrl],
    usesTokens: true,
    unreachable: 'rail_unavailable',
    refusedPhones: [],
    query: 'none',
  },
  {
    name: 'EthSwitch, card gateway',
    player: PLAYERS.cards,
    logsReference: true,
    rail: { id: 'ethswitch-cards', currencies: ['ETB', 'USD'], startTimeoutMs: 20_000 },
    amounts: AMOUNTS_MINOR.map(String),
    calls: {
      start: 'register.do',
      report: 'getOrderStatusExtended.do',
      query: 'getOrderStatusExtended.do',
    },
    replies: ['', ''],
    acts: {
      pays: 'paid',
      // The page may let the customer try another card.
      declines: 'open',
      lacks_funds: 'open',
      mistypes_pin: 'open',
      cancels: null,
      times_out: 'timed_out',
    },
    codes: {
      pays: 'orderStatus 2 actionCode 0',
      declines: 'orderStatus 6 actionCode 5',
      lacks_funds: 'orderStatus 6 actionCode 116',
      mistypes_pin: 'orderStatus 6 actionCode 117',
      times_out: 'orderStatus 6 actionCode -2007',
    },
    receipt: /^\d{11,12}$/,
    wrong: {
      // EthSwitch publishes no checksum: a report only triggers a query.
      forged: null,
      wrong_amount: null,
      other_order: ['other_order', 400],
      unreadable: ['unreadable', 400],
    },
    refuses: {
      misconfigured: ['misconfigured', 'errorCode 5'],
      unavailable: ['unknown', 'errorCode 7'],
    },
    wrongSettings: [{ password: 'old' }],
    // The gateway refuses the second order with a number, and the first may be ours.
    again: { type: 'unknown', providerCode: 'errorCode 1' },
    waiting: 'orderStatus 0 actionCode -100',
    backFromPage: ({ returnUrl, attempt }) => {
      const back = `${returnUrl}?orderId=${attempt.railReference}`;
      return [back, back];
    },
    unreachable: 'unknown',
    otherCurrencies: 'accepted',
    refusedPhones: [],
    query: 'at_once',
  },
  {
    name: 'M-PESA',
    player: PLAYERS.mpesa,
    rail: { id: 'stk-push', currencies: ['ETB'], startTimeoutMs: 15_000 },
    amounts: AS_NUMBERS,
    calls: { start: 'processrequest', report: 'callback', query: 'transactionstatus' },
    replies: [
      '{"ResultCode":0,"ResultDesc":"Accepted"}',
      '{"ResultCode":1,"ResultDesc":"Rejected"}',
    ],
    acts: REASONS,
    codes: {
      pays: '0',
      declines: '17',
      lacks_funds: '1',
      mistypes_pin: 'TP40087',
      cancels: '1032',
      times_out: '1037',
    },
    receipt: /^[A-Z0-9]{10}$/,
    wrong: {
      forged: ['other_order', 400],
      wrong_amount: ['wrong_amount', 400],
      other_order: ['other_order', 400],
      unreadable: ['unreadable', 400],
    },
    refuses: {
      misconfigured: ['misconfigured', '403.001.01', 403],
      unavailable: ['rail_unavailable', '429.001.01', 429],
      declines: ['declined', '1'],
      lacks_funds: ['declined', '3007'],
    },
    wrongSettings: [
      { consumerKey: 'x' },
      { consumerSecret: 'x' },
      { passkey: 'x' },
      { passwordForm: 'kenya' },
      { shortcode: '123' },
    ],
    again: { type: 'refused', reason: 'declined', providerCode: '1' },
    usesTokens: true,
    unreachable: 'rail_unavailable',
    refusedPhones: [null, '', ETHIO, '711234567', '25171123456', '2517112345678'],
    query: 'by_report',
  },
  {
    name: 'eBirr',
    player: PLAYERS.ebirr,
    rail: { id: 'ebirr', currencies: ['ETB'], startTimeoutMs: 90_000 },
    amounts: WITH_DECIMALS,
    calls: { start: 'API_PURCHASE', report: 'callback', query: 'API_TRANSACTIONSTATUS' },
    replies: ['{"received":true}', expect.anything()],
    acts: {
      ...REASONS,
      // eBirr has one code for both.
      declines: 'canceled_by_customer',
    },
    codes: {
      pays: '2001 0 APPROVED',
      declines: '5310',
      lacks_funds: '5206 E10205',
      mistypes_pin: '5206 E10205',
      cancels: '5306',
      times_out: '5309',
    },
    receipt: /^1\d{6}$/,
    wrong: {
      // A forger who does not know the order's own URL can only guess one.
      forged: 'unknown_url',
      wrong_amount: ['wrong_amount', 403],
      other_order: ['other_order', 403],
      unreadable: ['unreadable', 400],
    },
    refuses: {
      misconfigured: ['misconfigured', '5001 E10001'],
      unavailable: ['unknown', '52061 E102051'],
      declines: ['canceled_by_customer', '5310', 200, 'info'],
      cancels: ['canceled_by_customer', '5306', 200, 'info'],
      times_out: ['timed_out', '5309', 200, 'info'],
      lacks_funds: ['insufficient_funds', '5206 E10205', 200, 'info'],
      mistypes_pin: ['wrong_pin', '5206 E10205', 200, 'info'],
    },
    wrongSettings: [{ apiKey: 'API-000000000000' }],
    again: { type: 'unknown' },
    unreachable: 'unknown',
    refusedPhones: [null, SAFARICOM, '911234567'],
    query: 'at_once',
    queried: {
      pays: ['paid', '2001 0 APPROVED'],
      declines: ['declined', '2001 0 DECLINED'],
      times_out: ['open', '2001 0 EXPIRED'],
    },
    waiting: '2001 0 PENDING',
  },
];

/** How a proof looks as an outcome, with the provider's code. */
function outcomeOf(row: Row, [proof, code]: readonly [Proof, string | undefined]): unknown {
  return expect.objectContaining({
    ...(code !== undefined && { providerCode: code }),
    ...(proof === 'paid'
      ? {
          type: 'succeeded',
          receipt: row.receipt === null ? null : expect.stringMatching(row.receipt),
        }
      : proof === 'open'
        ? { type: 'unknown' }
        : { type: 'failed', reason: proof }),
  });
}

const reported = (row: Row, act: CustomerAct) => outcomeOf(row, [row.acts[act], row.codes?.[act]]);

function outcomeIn(reading: CallbackReading | undefined): Outcome | undefined {
  return reading?.type === 'outcome' ? reading.outcome : undefined;
}

/** The JSON with its first plain member twice, and the same value. */
function twice(json: string): string {
  return json.replace(/"[^"]*":(?:"[^"]*"|-?[\d.]+)(?=[,}])/, '$&,$&');
}

/** Plays the contract for every rail that reaches its provider in this way. */
export function playContract(way: Way = DIRECT): void {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  describe.each(ROWS)('$name', (row) => {
    let scene: RailScene;
    beforeAll(async () => {
      scene = await RailScene.start(row.player, way);
    });
    afterAll(() => scene.stop());

    const waits = () => scene.rail.startWaitsForCustomer === true;

    test('has its name, its currencies and the time of its start', () => {
      expect(scene.rail).toMatchObject(row.rail);
    });

    test.each(CUSTOMER_ACTS)('a customer who %s', async (act) => {
      const lines = watchRailAnswers();
      const placed = await scene.place();
      const { length } = scene.readingsOf(placed.order);
      const isEarly = waits() && (await Promise.race([placed.started, null])) !== null;
      expect(isEarly, 'answered before the customer acted').toBe(false);
      const answer = await placed.atProvider.act(act);
      const proof = row.acts[act];
      if (proof === null) {
        expect([answer, scene.readingsOf(placed.order)]).toEqual([null, []]);
        return;
      }
      expect(answer).toEqual({ status: 200, text: row.replies[0] });
      const first = outcomeIn(scene.readingsOf(placed.order)[length]);
      expect(first).toEqual(reported(row, act));
      const started = await placed.started;
      const { providerCode } = Object(first);
      if (waits()) {
        expect(started).toEqual(
          act === 'pays'
            ? { type: 'resolved', outcome: { ...first, providerCode } }
            : { type: 'refused', reason: proof, providerCode },
        );
      } else {
        expect(started.type).toBe('accepted');
      }
      // The customer causes failures; only a code that may mean anything needs the operator.
      const isListed = proof !== 'paid' && proof !== 'open';
      const level = isListed && providerCode === 'X200' ? 'warn' : 'info';
      const { reference } = placed.order.attempt;
      const line = { level, reference, providerCode };
      const logged = isListed
        ? [
            ...(waits() ? [expect.objectContaining({ ...line, call: row.calls.start })] : []),
            expect.objectContaining({ ...line, call: row.calls.report }),
          ]
        : [];
      const about = linesAbout(lines, placed.order);
      expect(about).toHaveLength(logged.length);
      expect(about).toEqual(expect.arrayContaining(logged));
      expect(outcomeIn(await scene.reported(placed)), 'the same report again').toEqual(
        proof === 'open' ? reported(row, act) : first,
      );
      if (row.query === 'at_once' && (row.queried === undefined || act in row.queried)) {
        const queried = await scene.rail.query?.(placed.order, Date.now());
        expect(queried).toEqual(outcomeOf(row, row.queried?.[act] ?? [proof, row.codes?.[act]]));
      }
    });

    test.each(['failed', 'unresolved'] as const)('pays after the attempt is %s', async (status) => {
      const placed = await scene.place();
      const { order } = placed;
      scene.keep({ ...order, attempt: { ...order.attempt, status, deadlineAtMs: 0 } });
      await placed.atProvider.act('pays', { silent: true });
      expect(outcomeIn(await scene.reported(placed))).toEqual(reported(row, 'pays'));
    });

    test.each(['before_answer', 'after_answer', undefined] as const)(
      'reports %s',
      async (callback) => {
        const before = scene.reports;
        const { order } = await scene.place({ act: 'pays', ...(callback && { callback }) });
        await expect.poll(() => scene.reports).toBeGreaterThan(before);
        const last = () => outcomeIn(scene.readingsOf(order).at(-1));
        await expect.poll(last).toEqual(reported(row, 'pays'));
      },
    );

    const WRONG = ['forged', 'wrong_amount', 'other_order', 'unreadable'] as const;
    test.each(WRONG)('a report that is %s', async (variant) => {
      const placed = await scene.place();
      await placed.atProvider.act('pays', { silent: true });
      const before = scene.standIn.calls.length;
      const reading = await scene.reported(placed, variant);
      const expected = row.wrong[variant];
      if (expected === null) {
        expect(outcomeIn(reading)).toEqual(reported(row, 'pays'));
        expect(scene.standIn.calls.length, 'asked').toBe(before + 1);
        return;
      }
      if (expected === 'unknown_url') {
        expect(reading).toBeUndefined();
        return;
      }
      const [suspicion, status] = expected;
      const reply = expect.objectContaining({ status });
      expect(reading).toEqual({ type: 'refused', suspicion, reply });
      expect(reading?.reply.body ?? '').toEqual(row.replies[1]);
      expect(scene.standIn.calls.length, 'not asked').toBe(before);
    });

    if (!row.isXml) {
      test('an answer or a report with one name twice proves nothing', async () => {
        const placed = await scene.place();
        await placed.atProvider.act('pays', { silent: true });
        expect(outcomeIn(await scene.reported(placed))?.type).toBe('succeeded');
        const { lastReport } = scene;
        const body = new TextDecoder().decode(lastReport.body);
        if (body.startsWith('{')) {
          const doubled = { ...lastReport, body: new TextEncoder().encode(twice(body)) };
          const reading = await scene.rail.readCallback?.(doubled, placed.order);
          expect(reading).toMatchObject({ type: 'refused', suspicion: 'unreadable' });
        }
        const send = globalThis.fetch;
        vi.spyOn(globalThis, 'fetch').mockImplementation(async (...request) => {
          const { status, text } = await send(...request).then(async (answer) => ({
            status: answer.status,
            text: await answer.text(),
          }));
          return new Response(twice(text), { status });
        });
        expect((await scene.rail.query?.(placed.order, Date.now()))?.type ?? 'unknown').toBe(
          'unknown',
        );
        if (!row.startsWithoutCall) {
          const started = await scene.rail.start(scene.order({ act: 'pays', callback: 'never' }));
          const end = started.type === 'refused' ? started.reason : started.type;
          // Without a readable token, nothing was sent.
          expect(['unknown', 'rail_unavailable']).toContain(end);
        }
      });
    }

    const faults = row.startsWithoutCall ? [] : CALL_FAULTS;
    test.each(faults)(
      'a start with the fault %s is unknown, and made once',
      async (fault, made) => {
        // A token is there already.
        await scene.rail.start(scene.order({ refuses: 'misconfigured' }));
        const timeout = endTimeoutsOnSilence();
        const lines = watchRailAnswers();
        const before = scene.standIn.calls.length;
        const order = scene.order({ start: fault });
        const starting = scene.rail.start(order);
        if (made === 1 && waits()) {
          await (await scene.standIn.order(order.attempt.reference)).act('pays', { silent: true });
        }
        expect(await starting).toEqual({ type: 'unknown' });
        expect(linesAbout(lines, order)).toEqual([unanswered(row.calls.start, order, fault)]);
        expect(scene.standIn.calls.length).toBe(before + 1);
        if (!row.usesTokens) {
          expect(timeout).toHaveBeenCalledExactlyOnceWith(row.rail.startTimeoutMs);
        }
        if (made === 1) {
          // The order exists, so the customer may pay, and the report counts.
          const atProvider = await scene.standIn.order(order.attempt.reference);
          if (!waits()) {
            await atProvider.act('pays', { silent: true });
          }
          const placed = { order, started: starting, atProvider };
          expect(outcomeIn(await scene.reported(placed))).toEqual(reported(row, 'pays'));
          if (row.query === 'at_once') {
            expect((await scene.rail.query?.(order, Date.now()))?.type).toBe('succeeded');
          }
        }
      },
    );

    function unanswered(call: string, { attempt }: RailOrder, fault: Fault): unknown {
      return {
        level: 'warn',
        rail: row.rail.id,
        call,
        reference: attempt.reference,
        ...(row.logsReference &&
          attempt.railReference !== null && { railReference: attempt.railReference }),
        ...(fault === 'http_500' && { status: 500 }),
        providerCode: null,
      };
    }

    test.each(Object.entries(row.refuses))('refuses a start: %s', async (refuses, refusal) => {
      const [ends, providerCode, status = 200, level = 'warn'] = refusal;
      const lines = watchRailAnswers();
      const order = scene.order({ refuses: refuses as NonNullable<Plan['refuses']> });
      const code = providerCode !== undefined && { providerCode };
      expect(await scene.rail.start(order)).toEqual({
        ...(ends === 'unknown' ? { type: ends } : { type: 'refused', reason: ends }),
        ...code,
      });
      const { reference } = order.attempt;
      const line = { rail: row.rail.id, call: row.calls.start, reference, providerCode: null };
      expect(linesAbout(lines, order)).toEqual([{ ...line, level, status, ...code }]);
    });

    test('is misconfigured with any wrong setting, and trusts no answer', async () => {
      const { order, atProvider } = await scene.place();
      await atProvider.act('pays', { silent: true });
      for (const changed of row.wrongSettings) {
        const rail = scene.railWith(changed);
        const refused = { type: 'refused', reason: 'misconfigured' };
        expect(await rail.start(scene.order()), Object.keys(changed).join()).toMatchObject(refused);
        const known = await rail.query?.(order, Date.now());
        // A wrong key of a push need not be wrong for a query, whose result comes later.
        expect(known?.type ?? 'unknown', Object.keys(changed).join()).toBe('unknown');
      }
    });

    test.each(AMOUNTS_MINOR.map((amountMinor, index) => [amountMinor, row.amounts[index]]))(
      '%i minor units are written %s',
      async (amountMinor, text) => {
        const { atProvider, started } = await scene.place({}, { terms: { amountMinor } });
        expect(atProvider.amountText).toBe(text);
        await atProvider.act('pays', { silent: true });
        expect((await started).type).toBe(waits() ? 'resolved' : 'accepted');
      },
    );

    test('is accepted with any texts of the merchant', async () => {
      for (const text of HOSTILE_TEXTS) {
        const terms = { merchantName: text, description: text, uniqueId: text };
        const { atProvider, started } = await scene.place({}, { terms });
        await atProvider.act('pays', { silent: true });
        expect((await started).type).toBe(waits() ? 'resolved' : 'accepted');
      }
    });

    test('makes no second order', async () => {
      const { order, atProvider, started } = await scene.place();
      await atProvider.act('pays', { silent: true });
      await started;
      expect(await scene.rail.start(order)).toMatchObject(row.again);
      expect(await scene.standIn.order(order.attempt.reference)).toBe(atProvider);
    });

    test('is not called for another currency or for a phone without an account', async () => {
      const before = scene.standIn.calls.length;
      const dollars = scene.order({}, { terms: { currency: 'USD' } });
      if (row.otherCurrencies === undefined) {
        const refused = { type: 'refused', reason: 'misconfigured' };
        expect(await scene.rail.start(dollars)).toEqual(refused);
        expect((await scene.rail.page?.(dollars)) ?? null).toBeNull();
      }
      for (const phone of row.refusedPhones) {
        const result = await scene.rail.start(scene.order({}, { attempt: { phone } }));
        expect(result, String(phone)).toEqual({ type: 'refused', reason: 'declined' });
        expect(scene.rail.acceptsPhone?.(phone ?? '')).toBe(false);
      }
      expect(scene.rail.acceptsPhone?.(row.player.phone) ?? true).toBe(true);
      expect(scene.standIn.calls.length).toBe(before);
    });

    test('says what is known when no server answers', async () => {
      const rail = scene.railAt('http://localhost:9');
      const order = scene.order();
      if (!row.startsWithoutCall) {
        const result = await rail.start(order);
        expect(result.type === 'refused' ? result.reason : result.type).toBe(row.unreachable);
      }
      expect((await rail.query?.(order, Date.now()))?.type ?? 'unknown').toBe('unknown');
    });

    if (row.query !== 'none') {
      test.each(CALL_FAULTS)('a query with the fault %s proves nothing', async (query) => {
        endTimeoutsOnSilence();
        const { order, atProvider, started } = await scene.place({ query });
        await atProvider.act('pays', { silent: true });
        // A silence ends the time limits of all calls.
        await started;
        const lines = watchRailAnswers();
        const nowMs = Date.now();
        const outcome = await scene.rail.query?.(order, nowMs);
        expect(outcome).toEqual({ type: 'unknown', checkAtMs: expect.any(Number) });
        expect(outcome).toMatchObject({ checkAtMs: expect.toSatisfy((atMs) => atMs > nowMs) });
        expect(linesAbout(lines, order)).toEqual([unanswered(row.calls.query, order, query)]);
      });

      test('a query about an order that the provider does not know proves nothing', async () => {
        const order = scene.order();
        expect((await scene.rail.query?.(order, Date.now()))?.type).toBe('unknown');
      });

      test('a query before the customer has acted proves nothing, and backs off', async () => {
        const { order, atProvider } = await scene.place();
        const nowMs = order.attempt.startedAtMs;
        const code = row.waiting !== undefined && { providerCode: row.waiting };
        for (const [checks, afterMs] of [
          [0, 5_000],
          [3, 40_000],
        ] as const) {
          const checked = { ...order, attempt: { ...order.attempt, checks } };
          expect(await scene.rail.query?.(checked, nowMs)).toEqual({
            type: 'unknown',
            checkAtMs: nowMs + afterMs,
            ...code,
          });
        }
        const startedAtMs = nowMs - 31 * 86_400_000;
        const old = { ...order, attempt: { ...order.attempt, startedAtMs } };
        expect(await scene.rail.query?.(old, nowMs)).toMatchObject({
          type: 'unknown',
          checkAtMs: null,
        });
        await atProvider.act('pays', { silent: true });
      });
    }

    if (row.usesTokens) {
      /** The scripted provider's calls since then; `call` is any but a sign-in. */
      const since = (index: number, calls = scene.scriptedCalls) =>
        calls.slice(index).map(({ url }) => (/token|login/.test(url) ? 'sign_in' : 'call'));

      test('signs in once for many starts, also of another adapter with the same settings', async () => {
        const order = scene.order({ refuses: 'misconfigured' });
        await scene.rail.start(order);
        const before = scene.standIn.calls.length;
        for (const rail of [scene.rail, scene.railWith({})]) {
          expect((await rail.start(scene.order())).type).toBe('accepted');
        }
        expect(since(before, scene.standIn.calls)).toEqual(['call', 'call']);
      });

      test('signs in again when its token is refused, and starts once', async () => {
        await scene.rail.start(scene.order());
        row.player.dropTokens?.(scene.standIn);
        const before = scene.standIn.calls.length;
        expect((await scene.rail.start(scene.order())).type).toBe('accepted');
        expect(since(before, scene.standIn.calls)).toEqual(['call', 'sign_in', 'call']);
      });

      test('is misconfigured when a new token is refused too', async () => {
        const rail = await scene.scripted(jsonReply(401, REFUSED_TOKEN));
        const before = scene.scriptedCalls.length;
        const refused = { type: 'refused', reason: 'misconfigured' };
        expect(await rail.start(scene.order())).toMatchObject(refused);
        expect(since(before)).toEqual(['sign_in', 'call', 'sign_in', 'call']);
      });

      test.each(SIGN_INS)('starts nothing when the sign-in %s', async (_name, reply, reason) => {
        endTimeoutsOnSilence();
        const rail = await scene.scripted(jsonReply(500, {}), reply);
        const before = scene.scriptedCalls.length;
        expect(await rail.start(scene.order())).toMatchObject({ type: 'refused', reason });
        expect(since(before)).toEqual(['sign_in']);
        expect((await rail.query?.(scene.order(), Date.now()))?.type ?? 'unknown').toBe('unknown');
      });
    }

    test('lets a person play the customer', async () => {
      const { order, started, atProvider } = await scene.place();
      const result = waits() ? null : await started;
      const page = result && scene.payUrlOf(result);
      const phones = await startPhones(new Map([[order.attempt.method, scene.standIn]]));
      onTestFinished(() => phones.stop());
      const baseUrl = page === null ? phones.baseUrl : scene.standIn.baseUrl;
      const shown = await (await fetch(page ?? baseUrl)).text();
      for (const part of ['stand-in for tests', order.attempt.reference, atProvider.amountText]) {
        expect(shown).toContain(part);
      }
      const action = /action="([^"]*)"/.exec(shown)?.[1]?.replaceAll('&#38;', '&') ?? '';
      const press = (act: CustomerAct) =>
        fetch(new URL(action, baseUrl), {
          method: 'POST',
          body: new URLSearchParams({ orderId: order.attempt.reference, act }),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          redirect: 'manual',
        });
      const backAfter = async (act: CustomerAct) => (await press(act)).headers.get('location');
      const [left = null, paid] = row.backFromPage?.(order) ?? [];
      if (left !== null) {
        expect(await backAfter('cancels')).toBe(left);
      }
      const location = await backAfter('pays');
      if (page === null) {
        expect(location).toBe('/');
        expect(await (await fetch(baseUrl)).text()).not.toContain(order.attempt.reference);
      } else if (paid !== undefined) {
        expect(location).toEqual(paid);
        expect((await press('pays')).status).toBe(400);
      }
      expect(atProvider.acted).toBe('pays');
      expect(outcomeIn(scene.readingsOf(order).at(-1))).toEqual(reported(row, 'pays'));
    });
  });
}
