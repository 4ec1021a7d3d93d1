import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Fault, Plan, ReceivedCall } from '../../../scripts/stand-ins/stand-in.ts';
import type { Attempt } from '../../../src/engine/domain/attempt.ts';
import type { Rail } from '../../../src/engine/rails/rail.ts';
import type { RefundAnswer, RefundOrder } from '../../../src/engine/rails/refund.ts';
import { CALL_FAULTS } from './faults.ts';
import { linesAbout, watchRailAnswers } from './logged.ts';
import { PLAYERS } from './players.ts';
import {
  DECLINED,
  MISCONFIGURED,
  NOT_ENABLED,
  NOT_SUPPORTED,
  part,
  refundsAt,
  returnedAt,
  UNKNOWN,
  withAttempt,
} from './refund-order.ts';
import { DIRECT, type Player, RailScene, type Way } from './scene.ts';
import { endTimeoutsOnSilence } from './timeouts.ts';

/**
 * Goal: every rail asks its provider for a refund once. Only the provider's proof counts as returned
 * or as not returned; anything unclear leaves the money reserved. Method: refunds of paid payments,
 * played for each rail with refunds by its stand-in. Bytes and made-up answers are in the tests of
 * each rail.
 */

type Refuses = NonNullable<NonNullable<Plan['refund']>['refuses']>;

interface Row {
  readonly name: string;
  readonly player: Player;
  readonly refunds: Rail['refunds'];
  /** The call that asks for a refund, by its name in the log, and on the wire. */
  readonly call: string;
  readonly isCall: (call: ReceivedCall) => boolean;
  readonly done: RefundAnswer;
  /** Where a report follows: what the answer to the call says. */
  readonly accepted?: RefundAnswer;
  /** Codes included; and whether the answer to the call refuses, or the report that follows it. */
  readonly refuses: Readonly<Record<Refuses, readonly [RefundAnswer, ('report' | undefined)?]>>;
  /** The same refund again, to a provider that did it. */
  readonly again: object;
  /** More than is left of the payment. */
  readonly tooMuch?: object;
  /** What a status query says about a refund that was made, and about one that was not. */
  readonly status?: readonly [made: object, notMade: object];
  /** Without settings that turn refunds on. */
  readonly off?: Readonly<Record<string, undefined>>;
  /** Attempts that the provider cannot return. */
  readonly lacking: readonly Partial<Attempt>[];
  /** Settings with which the provider refuses; without a token, it gets no refund to refuse. */
  readonly wrongSettings: readonly (readonly [object, RefundAnswer, 'no_token'?])[];
  readonly unreachable: RefundAnswer;
}

const WHOLE = { takesParts: false, wholeAmountsOnly: false, windowMs: null };
const RAIL_UNAVAILABLE = { type: 'failed', reason: 'rail_unavailable' } as const;
const NO_FUNDS = { type: 'failed', reason: 'insufficient_funds' } as const;

const ROWS: readonly Row[] = [
  {
    name: 'telebirr H5',
    player: PLAYERS.telebirrH5,
    refunds: { ...WHOLE, takesParts: true },
    call: 'refund',
    isCall: ({ url }) => url.endsWith('/merchant/refund'),
    done: {
      type: 'succeeded',
      railReference: expect.stringMatching(/^\d{24}$/),
      providerCode: 'REFUND_SUCCESS',
    },
    refuses: {
      declines: [{ ...DECLINED, providerCode: 'REFUND_FAILED' }],
      lacks_funds: [{ ...DECLINED, providerCode: 'REFUND_FAILED' }],
      not_enabled: [{ ...NOT_ENABLED, providerCode: '60320025' }],
    },
    again: { ...UNKNOWN, providerCode: 'REFUND_DUPLICATED' },
    tooMuch: { ...UNKNOWN, providerCode: '60201003' },
    status: [
      { type: 'succeeded', railReference: null, providerCode: 'REFUND_SUCCESS' },
      { ...UNKNOWN, providerCode: 'PAY_SUCCESS' },
    ],
    lacking: [],
    wrongSettings: [[{ appSecret: 'wrong' }, MISCONFIGURED, 'no_token']],
    unreachable: RAIL_UNAVAILABLE,
  },
  {
    name: 'EthSwitch, card gateway',
    player: PLAYERS.cards,
    refunds: { ...WHOLE, takesParts: true },
    call: 'refund.do',
    isCall: ({ url }) => url === '/epg/rest/refund.do',
    done: { type: 'succeeded', railReference: null },
    refuses: {
      declines: [{ ...DECLINED, providerCode: 'errorCode 7' }],
      lacks_funds: [{ ...DECLINED, providerCode: 'errorCode 7' }],
      not_enabled: [{ ...NOT_ENABLED, providerCode: 'errorCode 5' }],
    },
    // The gateway recognizes the refund's number.
    again: { type: 'succeeded' },
    tooMuch: DECLINED,
    status: [
      {
        type: 'succeeded',
        railReference: expect.stringMatching(/^\d{12}$/),
        providerCode: 'orderStatus 4 actionCode 0',
      },
      { ...UNKNOWN, providerCode: 'orderStatus 2 actionCode 0' },
    ],
    lacking: [{ railReference: null }],
    wrongSettings: [[{ password: 'x' }, NOT_ENABLED]],
    unreachable: UNKNOWN,
  },
  {
    name: 'M-PESA',
    player: PLAYERS.mpesa,
    refunds: { ...WHOLE, wholeAmountsOnly: true },
    call: 'reversal',
    isCall: ({ url }) => url.includes('/mpesa/reversal/'),
    done: { type: 'succeeded', railReference: expect.any(String), providerCode: '0' },
    accepted: {
      type: 'unknown',
      railReference: expect.stringMatching(/^AG_\d{8}_/),
      providerCode: '0',
    },
    refuses: {
      declines: [{ ...DECLINED, providerCode: 'R000002' }, 'report'],
      lacks_funds: [{ ...NO_FUNDS, providerCode: '1' }, 'report'],
      not_enabled: [{ ...NOT_ENABLED, providerCode: '403.001.01' }],
    },
    again: { ...UNKNOWN, providerCode: '15' },
    off: { refunds: undefined },
    lacking: [{ receipt: null }],
    wrongSettings: [
      [{ consumerSecret: 'wrong' }, { ...MISCONFIGURED, providerCode: '999997' }, 'no_token'],
    ],
    unreachable: RAIL_UNAVAILABLE,
  },
  {
    name: 'eBirr',
    player: PLAYERS.ebirr,
    refunds: WHOLE,
    call: 'API_CANCELPURCHASE',
    isCall: ({ body }) => body.includes('"API_CANCELPURCHASE"'),
    done: {
      type: 'succeeded',
      railReference: expect.stringMatching(/^3\d{6}$/),
      providerCode: '2001 0 approved',
    },
    refuses: {
      // eBirr also answers "not found" about a purchase that the account may not cancel.
      declines: [{ ...NOT_ENABLED, providerCode: '5213 E10206' }],
      lacks_funds: [{ ...NO_FUNDS, providerCode: '50333' }],
      not_enabled: [{ ...NOT_ENABLED, providerCode: '5001 E10001' }],
    },
    again: { ...UNKNOWN, providerCode: '5202 E10207' },
    off: { refundService: undefined },
    // eBirr returns nothing by the wallet's id.
    lacking: [
      { receipt: null },
      { receipt: null, issuerReceipt: '2000001' },
      { receipt: '2000001', issuerReceipt: '2000001' },
    ],
    wrongSettings: [
      [{ apiKey: 'API-000000000000' }, { ...NOT_ENABLED, providerCode: '5001 E10001' }],
    ],
    unreachable: UNKNOWN,
  },
];

/** Plays the contract for every rail that reaches its provider in this way. */
export function playRefundContract(way: Way = DIRECT): void {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  describe.each(ROWS)('$name', (row) => {
    let scene: RailScene;
    beforeAll(async () => {
      scene = await RailScene.start(row.player, way);
    });
    afterAll(() => scene.stop());

    const calls = () => scene.standIn.calls.filter(row.isCall).length;
    const returned = (order: RefundOrder) => returnedAt(scene.standIn, order);

    /** Asks, stores the answer's reference as the gateway does, and returns the answer. */
    async function ask(order: RefundOrder, rail = scene.rail): Promise<RefundAnswer | undefined> {
      const answer = await rail.refund?.(order);
      if (answer !== undefined && 'railReference' in answer) {
        const { railReference = null } = answer;
        scene.keepRefund({ ...order, refund: { ...order.refund, railReference } });
      }
      return answer;
    }

    /** The outcome in the first report about the refund that follows what `happens`. */
    async function reportAfter(
      order: RefundOrder,
      happens: () => Promise<unknown>,
    ): Promise<unknown> {
      const readings = () => scene.refundReadingsOf(order);
      const { length } = readings();
      await happens();
      await expect.poll(() => readings().length).toBeGreaterThan(length);
      const reading = readings()[length];
      expect(reading?.reply).toMatchObject({ status: 200 });
      return reading?.type === 'outcome' ? reading.outcome : reading;
    }

    test('says what it can return, and asks nothing that the provider does not answer', () => {
      expect(scene.rail.refunds).toEqual(row.refunds);
      expect('refundStatus' in scene.rail).toBe(row.status !== undefined);
      expect('readRefundCallback' in scene.rail).toBe(row.accepted !== undefined);
      // Only the operator can know that the provider recognizes a refund's number.
      expect(scene.rail).not.toHaveProperty('repeatRefund');
      expect(scene.rail).not.toHaveProperty('isRefundRepeatable');
    });

    test('returns a whole payment once', async () => {
      const lines = watchRailAnswers();
      const order = await scene.paid({});
      const before = calls();
      if (row.accepted === undefined) {
        expect(await ask(order)).toEqual(row.done);
      } else {
        const first = await reportAfter(order, async () => {
          expect(await ask(order)).toEqual(row.accepted);
        });
        expect(first).toEqual(row.done);
        // After the answer is stored, and after the outcome.
        const { railReference } = Object(first);
        const [refund] = await refundsAt(scene.standIn, order);
        for (const stored of [null, railReference]) {
          scene.keepRefund({ ...order, refund: { ...order.refund, railReference: stored } });
          expect(await reportAfter(order, async () => refund?.report?.())).toEqual(first);
        }
      }
      expect(calls()).toBe(before + 1);
      expect(await returned(order)).toHaveLength(1);
      expect(linesAbout(lines, order.payment)).toEqual([]);
      if (row.status !== undefined) {
        expect(await scene.rail.refundStatus?.(order, Date.now())).toEqual(row.status[0]);
      }
      expect(await ask(order)).toMatchObject(row.again);
      expect(await returned(order)).toHaveLength(1);
    });

    test.each(Object.entries(row.refuses))(
      'returns nothing if the provider %s',
      async (...given) => {
        const [refuses, [answer, by]] = given;
        const order = await scene.paid({ refuses: refuses as Refuses });
        const lines = watchRailAnswers();
        if (by === 'report') {
          expect(await reportAfter(order, () => ask(order))).toEqual(answer);
        } else {
          expect(await ask(order)).toEqual(answer);
        }
        expect(await returned(order)).toEqual([]);
        const call = by === 'report' ? `${row.call} result` : row.call;
        expect(linesAbout(lines, order.payment)).toMatchObject([
          { level: 'warn', call, providerCode: expect.any(String) },
        ]);
      },
    );

    test.each(CALL_FAULTS)('is unknown after %s, and requested once', async (fault, made) => {
      await unknownAfter(fault, made, scene.rail, row.call);
    });

    async function unknownAfter(fault: Fault, made: number, rail: Rail, call: string) {
      endTimeoutsOnSilence();
      const order = await scene.paid({ fault });
      const lines = watchRailAnswers();
      const before = calls();
      expect(await ask(order, rail)).toEqual(UNKNOWN);
      const { reference } = order.payment.attempt;
      expect(linesAbout(lines, order.payment)).toMatchObject([
        { level: 'warn', call, reference, providerCode: null },
      ]);
      expect(await returned(order)).toHaveLength(made);
      if (row.status !== undefined) {
        const [yes, no] = row.status;
        expect(await rail.refundStatus?.(order, Date.now())).toEqual(made === 1 ? yes : no);
      }
      expect(calls()).toBe(before + 1);
    }

    if (row.tooMuch !== undefined) {
      test('returns parts up to what is left, each by one call', async () => {
        const order = await scene.paid({});
        const { chargedMinor } = order.payment;
        expect(await ask(part(order, 1_001))).toEqual(row.done);
        const tooMuch = part(order, chargedMinor, { isFirst: false });
        expect(await ask(tooMuch)).toMatchObject(row.tooMuch ?? {});
        const rest = { returnedBeforeMinor: 1_001, isFirst: false };
        expect(await ask(part(order, chargedMinor - 1_001, rest))).toEqual(row.done);
        const amounts = (await returned(order)).map((text) => Number(text.replace('.', '')));
        expect(amounts).toEqual([1_001, chargedMinor - 1_001]);
      });

      test.each([
        [100_22, DECLINED],
        [100_25, NOT_ENABLED],
        [100_00, { type: 'succeeded' }],
      ])('without a plan ends as the sandbox’s of the same amount: %i', async (minor, answer) => {
        expect(await ask(part(await scene.paid(), minor))).toMatchObject(answer);
      });

      test.each([false, true])('is repeated by its number, if known there: %s', async (isKnown) => {
        const rail = scene.railWith({ refundRepeats: true });
        const order = await scene.paid({});
        expect(rail.isRefundRepeatable?.(order)).toBe(true);
        const first = isKnown ? await ask(order, rail) : null;
        const sent = scene.standIn.calls.findLast(row.isCall);
        const expected = first === null ? row.done : row.again;
        expect(await rail.repeatRefund?.(order)).toMatchObject(expected);
        const repeated = scene.standIn.calls.findLast(row.isCall);
        expect(repeated?.body).toContain(order.refund.reference);
        expect(isKnown && repeated === sent).toBe(false);
        expect(await returned(order)).toHaveLength(1);
      });
    }

    test('is not sent while refunds are off, or without the number that names the payment', async () => {
      const order = await scene.paid({});
      const before = scene.standIn.calls.length;
      if (row.off !== undefined) {
        expect(await scene.railWith(row.off).refund?.(order)).toEqual(NOT_ENABLED);
      }
      for (const lacking of row.lacking) {
        expect(await scene.rail.refund?.(withAttempt(order, lacking))).toEqual(NOT_SUPPORTED);
      }
      expect(scene.standIn.calls).toHaveLength(before);
    });

    test.each(row.wrongSettings.map((given) => ({ given })))(
      'returns nothing with the settings $given.0',
      async ({ given }) => {
        const [changed, answer, noToken] = given;
        const order = await scene.paid({});
        const before = calls();
        expect(await scene.railWith({ ...changed }).refund?.(order)).toMatchObject(answer);
        expect(calls()).toBe(before + (noToken === undefined ? 1 : 0));
        expect(await returned(order)).toEqual([]);
      },
    );

    test('says what is known when no server answers', async () => {
      const order = await scene.paid({});
      const rail = scene.railAt('http://localhost:9');
      expect(await rail.refund?.(order)).toEqual(row.unreachable);
      expect((await rail.refundStatus?.(order, Date.now()))?.type ?? 'unknown').toBe('unknown');
    });

    if (row.accepted !== undefined) {
      test('counts a report that comes before the answer', async () => {
        const order = await scene.paid({ report: 'before_answer' });
        expect(await reportAfter(order, () => ask(order))).toEqual(row.done);
      });

      test.each([
        ['forged', 'other_order'],
        ['wrong_amount', 'wrong_amount'],
        ['other_order', 'other_order'],
        ['unreadable', 'unreadable'],
      ] as const)('refuses a report that is %s as %s, and logs it', async (variant, suspicion) => {
        const order = await scene.paid({ report: 'never' });
        await ask(order);
        const [refund] = await refundsAt(scene.standIn, order);
        const lines = watchRailAnswers();
        expect(await refund?.report?.(variant)).toMatchObject({ status: 400 });
        expect(scene.refundReadingsOf(order).at(-1)).toMatchObject({ type: 'refused', suspicion });
        expect(linesAbout(lines, order.payment)).toMatchObject([
          { level: 'warn', call: `${row.call} result` },
        ]);
      });
    }
  });
}
