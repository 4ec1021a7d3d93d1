import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCbeBirrStandIn } from '../../scripts/stand-ins/cbe-birr.ts';
import { startEbirrStandIn } from '../../scripts/stand-ins/ebirr.ts';
import { startEthswitchCardsStandIn } from '../../scripts/stand-ins/ethswitch-cards.ts';
import { startNbgStandIn } from '../../scripts/stand-ins/ethswitch-nbg.ts';
import { startMpesaStandIn } from '../../scripts/stand-ins/mpesa.ts';
import {
  type CallbackVariant,
  CUSTOMER_ACTS,
  type CustomerAct,
  type Plan,
} from '../../scripts/stand-ins/stand-in.ts';
import { startTelebirrH5StandIn } from '../../scripts/stand-ins/telebirr-h5.ts';
import { startTelebirrUssdStandIn } from '../../scripts/stand-ins/telebirr-ussd.ts';
import type { FailureReason, Outcome } from '../../src/domain/intent.ts';
import type { CallbackReading, CallbackSuspicion } from '../../src/rails/callback.ts';
import type { StartResult } from '../../src/rails/rail.ts';
import { ContractScene, type Player, railOf } from '../support/rails/contract-scene.ts';
import { CALL_FAULTS } from '../support/rails/faults.ts';
import { endTimeoutsOnSilence } from '../support/rails/timeouts.ts';

/**
 * Goal: what every rail must do, whatever its wire: only a genuine report or query about this order
 * ends an attempt, a lost answer is unknown and never asked for twice, and a refusal says whose it is.
 * Method: each customer's act, fault, report and refusal, played for each rail by its stand-in. Bytes,
 * codes and what a stand-in would never send are in the tests of each rail.
 */

/** What a report about an act proves; null: the provider reports nothing. */
type Proof = 'paid' | FailureReason | 'open' | null;

interface Row {
  readonly name: string;
  readonly player: Player;
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
  /** How a start ends that the provider refuses; `unknown`: it may have acted. */
  readonly refuses: Readonly<
    Partial<Record<NonNullable<Plan['refuses']>, readonly [FailureReason | 'unknown', string?]>>
  >;
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
}

const ETHIO = '251911234567';
const SAFARICOM = '251711234567';

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
  lacks_funds: ['insufficient_funds', 'X201'],
  mistypes_pin: ['wrong_pin', 'X202'],
  cancels: ['canceled_by_customer', 'X203'],
  times_out: ['timed_out', 'X204'],
} as const;
const USSD = {
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
  unreachable: 'unknown',
  refusedPhones: [null, '911234567', '0911234567', '254711234567', '2519112345678'],
  query: 'at_once',
} as const;

const ROWS: readonly Row[] = [
  {
    name: 'telebirr H5',
    player: { method: 'TELE_BIRR', start: startTelebirrH5StandIn, phone: ETHIO },
    acts: {
      pays: 'paid',
      declines: 'declined',
      lacks_funds: 'declined',
      mistypes_pin: 'declined',
      cancels: 'declined',
      times_out: 'timed_out',
    },
    codes: { pays: 'PAY_SUCCESS', declines: 'PAY_FAILED', times_out: 'ORDER_CLOSED' },
    receipt: /^[A-Z0-9]{10}$/,
    wrong: {
      forged: ['not_authentic', 403],
      wrong_amount: ['wrong_amount', 409],
      other_order: ['other_order', 409],
      unreadable: ['unreadable', 400],
    },
    refuses: {
      misconfigured: ['misconfigured', '60200099'],
      unavailable: ['rail_unavailable', '49401021002'],
    },
    usesTokens: true,
    unreachable: 'rail_unavailable',
    refusedPhones: [],
    query: 'at_once',
  },
  {
    ...USSD,
    name: 'telebirr USSD',
    player: { method: 'TELE_BIRR_USSD', start: startTelebirrUssdStandIn, phone: ETHIO },
    refuses: { ...USSD_REFUSALS, misconfigured: ['misconfigured', '1001'] },
  },
  {
    ...USSD,
    name: 'telebirr USSD, synchronous',
    player: {
      method: 'TELE_BIRR_USSD',
      start: () =>
        startTelebirrUssdStandIn(0, { namespace: 'synccpsinterface', waitsForResult: true }),
      phone: ETHIO,
    },
    // A result has no code of its own for an unknown caller.
    refuses: { ...USSD_REFUSALS, misconfigured: ['declined', '1001'] },
  },
  {
    name: 'CBE Birr',
    player: {
      method: 'CBE',
      start: startCbeBirrStandIn,
      phone: ETHIO,
      isMadeByPage: true,
      hasRegisteredAddress: true,
    },
    acts: {
      pays: 'paid',
      declines: 'declined',
      lacks_funds: 'declined',
      mistypes_pin: 'declined',
      cancels: 'declined',
      times_out: 'declined',
    },
    codes: { pays: 'Birr Moved', declines: 'Turned Down', cancels: 'Walked Away' },
    receipt: null,
    wrong: {
      forged: ['not_authentic', 401],
      wrong_amount: ['not_authentic', 401],
      other_order: ['other_order', 409],
      unreadable: ['unreadable', 400],
    },
    refuses: {},
    startsWithoutCall: true,
    unreachable: 'unknown',
    refusedPhones: [],
    query: 'at_once',
  },
  {
    name: 'EthSwitch, billing gateway',
    player: { method: 'ETS_SWITCH', start: startNbgStandIn, phone: ETHIO },
    acts: {
      pays: 'paid',
      declines: 'declined',
      lacks_funds: 'declined',
      mistypes_pin: 'declined',
      cancels: null,
      times_out: null,
    },
    codes: { pays: 'PAID 200', declines: 'FAILED 200' },
    receipt: /^PAY[0-9A-F]{8}$/,
    wrong: {
      forged: ['other_order', 400],
      wrong_amount: ['wrong_amount', 400],
      other_order: ['other_order', 400],
      unreadable: ['unreadable', 400],
    },
    refuses: { misconfigured: ['misconfigured'], unavailable: ['rail_unavailable'] },
    usesTokens: true,
    unreachable: 'rail_unavailable',
    refusedPhones: [],
    query: 'none',
  },
  {
    name: 'EthSwitch, card gateway',
    player: { method: 'ETS_SWITCH', start: startEthswitchCardsStandIn, phone: ETHIO },
    acts: {
      pays: 'paid',
      // The page may let the customer try another card.
      declines: 'open',
      lacks_funds: 'open',
      mistypes_pin: 'open',
      cancels: null,
      times_out: 'timed_out',
    },
    codes: { pays: 'orderStatus 2 actionCode 0', times_out: 'orderStatus 6 actionCode -2007' },
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
    unreachable: 'unknown',
    otherCurrencies: 'accepted',
    refusedPhones: [],
    query: 'at_once',
  },
  {
    name: 'M-PESA',
    player: { method: 'M_PESA', start: startMpesaStandIn, phone: SAFARICOM },
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
      misconfigured: ['misconfigured', '403.001.01'],
      unavailable: ['rail_unavailable', '429.001.01'],
      declines: ['declined', '1'],
      lacks_funds: ['declined', '3007'],
    },
    usesTokens: true,
    unreachable: 'rail_unavailable',
    refusedPhones: [null, '', ETHIO, '711234567', '25171123456', '2517112345678'],
    query: 'by_report',
  },
  {
    name: 'eBirr',
    player: { method: 'E_BIRR', start: startEbirrStandIn, phone: ETHIO },
    acts: {
      ...REASONS,
      // eBirr has one code for both.
      declines: 'canceled_by_customer',
      times_out: 'timed_out',
    },
    receipt: /^\d+$/,
    wrong: {
      // Whoever does not know the order's own URL can only guess one.
      forged: 'unknown_url',
      wrong_amount: ['wrong_amount', 403],
      other_order: ['other_order', 403],
      unreadable: ['unreadable', 400],
    },
    refuses: {
      misconfigured: ['misconfigured', '5001 E10001'],
      unavailable: ['unknown', '52061 E102051'],
      declines: ['canceled_by_customer', '5310'],
      cancels: ['canceled_by_customer', '5306'],
      times_out: ['timed_out', '5309'],
      lacks_funds: ['insufficient_funds', '5206 E10205'],
      mistypes_pin: ['wrong_pin', '5206 E10205'],
    },
    unreachable: 'unknown',
    refusedPhones: [null, SAFARICOM, '911234567'],
    query: 'at_once',
  },
];

/** How a proof looks as an outcome, with the provider's code if the row names one. */
function outcomeWith(row: Row, act: CustomerAct): unknown {
  const proof = row.acts[act];
  const code = row.codes?.[act];
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

function outcomeOf(reading: CallbackReading | undefined): Outcome | undefined {
  return reading?.type === 'outcome' ? reading.outcome : undefined;
}

function refusalOf(result: StartResult): string {
  return result.type === 'refused' ? result.reason : result.type;
}

describe.each(ROWS)('$name', (row) => {
  let scene: ContractScene;
  beforeAll(async () => {
    scene = await ContractScene.start(row.player);
  });
  afterAll(() => scene.stop());

  const waits = () => scene.rail.startWaitsForCustomer === true;

  test.each(CUSTOMER_ACTS)('a customer who %s', async (act) => {
    const placed = await scene.place();
    const before = scene.reports;
    const answer = await placed.atProvider.act(act);
    if (row.acts[act] === null) {
      expect([answer, scene.reports]).toEqual([null, before]);
      return;
    }
    expect(answer?.status).toBe(200);
    const first = outcomeOf(scene.lastReading);
    expect(first).toEqual(outcomeWith(row, act));
    expect(outcomeOf(await scene.reported(placed)), 'the same report again').toMatchObject({
      type: first?.type,
    });
    const started = await placed.started;
    if (waits()) {
      expect(started).toMatchObject(
        act === 'pays' ? { type: 'resolved', outcome: first } : { type: 'refused' },
      );
    } else {
      expect(started.type).toBe('accepted');
    }
    if (row.query === 'at_once' && (act === 'pays' || row.acts[act] === 'declined')) {
      const queried = await scene.rail.query?.(placed.order, Date.now());
      expect(queried).toMatchObject({ type: first?.type });
    }
  });

  test.each(['failed', 'unresolved'] as const)('pays after the attempt is %s', async (status) => {
    const placed = await scene.place();
    const { order } = placed;
    scene.keep({ ...order, attempt: { ...order.attempt, status, deadlineAtMs: 0 } });
    await placed.atProvider.act('pays', { silent: true });
    expect(outcomeOf(await scene.reported(placed))).toEqual(outcomeWith(row, 'pays'));
  });

  test.each(['before_answer', 'after_answer'] as const)('reports %s', async (callback) => {
    const before = scene.reports;
    await scene.place({ act: 'pays', callback });
    await expect.poll(() => scene.reports).toBe(before + 1);
    expect(outcomeOf(scene.lastReading)).toEqual(outcomeWith(row, 'pays'));
  });

  const WRONG = ['forged', 'wrong_amount', 'other_order', 'unreadable'] as const;
  test.each(WRONG)('a report that is %s', async (variant) => {
    const placed = await scene.place();
    await placed.atProvider.act('pays', { silent: true });
    const before = scene.standIn.calls.length;
    const reading = await scene.reported(placed, variant);
    const expected = row.wrong[variant];
    if (expected === null) {
      expect(outcomeOf(reading)).toEqual(outcomeWith(row, 'pays'));
      expect(scene.standIn.calls.length, 'asked').toBe(before + 1);
      return;
    }
    if (expected === 'unknown_url') {
      expect(reading).toBeUndefined();
      return;
    }
    const [suspicion, status] = expected;
    expect(reading).toMatchObject({ type: 'refused', suspicion, reply: { status } });
    expect(scene.standIn.calls.length, 'not asked').toBe(before);
  });

  const faults = row.startsWithoutCall ? [] : CALL_FAULTS;
  test.each(faults)('a start with the fault %s is unknown, and made once', async (fault, made) => {
    // A token is there already.
    await scene.rail.start(scene.order({ refuses: 'misconfigured' }));
    const timeout = endTimeoutsOnSilence();
    const before = scene.standIn.calls.length;
    const order = scene.order({ start: fault });
    const starting = scene.rail.start(order);
    if (made === 1 && waits()) {
      await (await scene.standIn.order(order.attempt.reference)).act('pays', { silent: true });
    }
    expect(await starting).toEqual({ type: 'unknown' });
    expect(scene.standIn.calls.length).toBe(before + 1);
    if (!row.usesTokens) {
      expect(timeout).toHaveBeenCalledExactlyOnceWith(scene.rail.startTimeoutMs);
    }
    if (made === 1) {
      // The order exists, so the customer may pay, and the report counts.
      const atProvider = await scene.standIn.order(order.attempt.reference);
      if (!waits()) {
        await atProvider.act('pays', { silent: true });
      }
      const placed = { order, started: starting, atProvider };
      expect(outcomeOf(await scene.reported(placed))).toEqual(outcomeWith(row, 'pays'));
    }
  });

  test.each(Object.entries(row.refuses))(
    'refuses a start: %s',
    async (refuses, [ends, providerCode]) => {
      const plan = { refuses: refuses as NonNullable<Plan['refuses']> };
      expect(await scene.rail.start(scene.order(plan))).toEqual({
        ...(ends === 'unknown' ? { type: ends } : { type: 'refused', reason: ends }),
        ...(providerCode !== undefined && { providerCode }),
      });
    },
  );

  test('is not called for another currency, nor for a phone without an account', async () => {
    const before = scene.standIn.calls.length;
    const dollars = scene.order({}, { terms: { currency: 'USD' } });
    if (row.otherCurrencies === undefined) {
      const refused = { type: 'refused', reason: 'misconfigured' };
      expect(await scene.rail.start(dollars)).toEqual(refused);
      expect(scene.rail.currencies).toEqual(['ETB']);
    }
    for (const phone of row.refusedPhones) {
      const result = await scene.rail.start(scene.order({}, { attempt: { phone } }));
      expect(result, String(phone)).toEqual({ type: 'refused', reason: 'declined' });
      expect(scene.rail.acceptsPhone?.(phone ?? '')).toBe(false);
    }
    expect(scene.rail.acceptsPhone?.(row.player.phone) ?? true).toBe(true);
    expect(scene.standIn.calls.length).toBe(before);
  });

  test('says what is known when nobody listens', async () => {
    const moved = Object.entries(scene.standIn.settings).map(([name, value]) => [
      name,
      String(value).startsWith('http') ? 'http://localhost:9/nowhere' : value,
    ]);
    const rail = railOf(row.player.method, Object.fromEntries(moved));
    const order = scene.order();
    if (!row.startsWithoutCall) {
      expect(refusalOf(await rail.start(order))).toBe(row.unreachable);
    }
    expect((await rail.query?.(order, Date.now()))?.type ?? 'unknown').toBe('unknown');
  });

  if (row.query === 'at_once') {
    test.each(CALL_FAULTS)('a query with the fault %s proves nothing', async (query) => {
      endTimeoutsOnSilence();
      const { order, atProvider } = await scene.place({ query });
      await atProvider.act('pays', { silent: true });
      const nowMs = Date.now();
      const outcome = await scene.rail.query?.(order, nowMs);
      expect(outcome).toEqual({ type: 'unknown', checkAtMs: expect.any(Number) });
      expect(outcome).toMatchObject({ checkAtMs: expect.toSatisfy((atMs) => atMs > nowMs) });
    });

    test('a query before the customer has acted proves nothing', async () => {
      const { order, atProvider } = await scene.place();
      expect(await scene.rail.query?.(order, Date.now())).toMatchObject({ type: 'unknown' });
      await atProvider.act('pays', { silent: true });
    });
  }

  test('lets a person play the customer', async () => {
    const { order, started, atProvider } = await scene.place();
    const result = waits() ? null : await started;
    const page = result?.type === 'accepted' ? result.redirectUrl : null;
    const shown = await (await fetch(page ?? scene.standIn.baseUrl)).text();
    for (const part of ['STAND-IN', order.attempt.reference]) {
      expect(shown).toContain(part);
    }
    const action = /action="([^"]*)"/.exec(shown)?.[1]?.replaceAll('&#38;', '&') ?? '';
    const pressed = await fetch(new URL(action, scene.standIn.baseUrl), {
      method: 'POST',
      body: new URLSearchParams({ orderId: order.attempt.reference, act: 'pays' }),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      redirect: 'manual',
    });
    expect([200, 303]).toContain(pressed.status);
    if (page === null) {
      expect([pressed.status, pressed.headers.get('location')]).toEqual([303, '/']);
      expect(await (await fetch(scene.standIn.baseUrl)).text()).not.toContain(
        order.attempt.reference,
      );
    }
    expect(atProvider.acted).toBe('pays');
    expect(outcomeOf(scene.lastReading)).toEqual(outcomeWith(row, 'pays'));
  });
});
