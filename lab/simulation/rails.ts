import type { Attempt, AttemptPlan, Outcome } from '../../src/engine/domain/attempt.ts';
import { METHODS, type Method, TRAITS } from '../../src/engine/domain/method.ts';
import type { RefundCapability } from '../../src/engine/domain/refund.ts';
import { nextCheckAtMs } from '../../src/engine/domain/schedule.ts';
import { bodyText, type CallbackReading, textReply } from '../../src/engine/rails/callback.ts';
import { type Rail, STORING_TIME_MS, type StartResult } from '../../src/engine/rails/rail.ts';
import type { RailOrder } from '../../src/engine/rails/rail-order.ts';
import type { RefundAnswer, RefundOrder } from '../../src/engine/rails/refund.ts';
import type { Environment } from '../../src/kit/tenant.ts';
import { never } from './clock.ts';
import { here } from './globals.ts';
import { isGenuine, type ProviderOrder, type Report } from './provider.ts';

/**
 * Takes the place of `src/engine/rails/settings.ts` in the bundle: adapters of the simulated provider. Each
 * method has one, and together they have every capability that the real ones have.
 */

interface RailSettings {
  readonly id: string;
  readonly flow: AttemptPlan['flow'];
  /** After the start; null: with the payment. */
  readonly windowMs: number | null;
  readonly windowIsFinal: boolean;
  /** When to query first; null: the provider answers no queries. */
  readonly checkAfterMs: number | null;
  readonly isSlow: boolean;
  readonly hasSharedAddress: boolean;
  readonly refunds: RefundCapability | null;
  readonly refundQueries: boolean;
  readonly refundCallbacks: boolean;
}

const ANY_PART: RefundCapability = { takesParts: true, wholeAmountsOnly: false, windowMs: null };
const ONLY_WHOLE: RefundCapability = { takesParts: false, wholeAmountsOnly: false, windowMs: null };

const REDIRECT: RailSettings = {
  id: 'telebirr-h5',
  flow: 'redirect',
  windowMs: null,
  windowIsFinal: false,
  checkAfterMs: 35_000,
  isSlow: false,
  hasSharedAddress: false,
  refunds: ANY_PART,
  refundQueries: true,
  refundCallbacks: false,
};
const PUSH: RailSettings = {
  ...REDIRECT,
  id: 'stk-push',
  flow: 'push',
  windowMs: 180_000,
  checkAfterMs: 30_000,
  refundQueries: false,
  refundCallbacks: true,
};

const OWN_SETTINGS: Readonly<Partial<Record<Method, RailSettings>>> = {
  TELE_BIRR: REDIRECT,
  CBE: { ...REDIRECT, id: 'cbe-birr', hasSharedAddress: true, refunds: null },
  ETS_SWITCH: {
    ...REDIRECT,
    id: 'ethswitch-nbg',
    checkAfterMs: null,
    refunds: ONLY_WHOLE,
    refundCallbacks: true,
  },
  M_PESA: PUSH,
  TELE_BIRR_USSD: { ...PUSH, id: 'telebirr-ussd', windowMs: 120_000, windowIsFinal: true },
  E_BIRR: { ...PUSH, id: 'ebirr', windowMs: 60_000, isSlow: true, refundQueries: true },
};

/** A method without settings of its own has the capabilities of its kind. */
function settingsOf(method: Method): RailSettings {
  const kind = TRAITS[method].confirmsOn === 'page' ? REDIRECT : PUSH;
  return OWN_SETTINGS[method] ?? { ...kind, id: method.toLowerCase() };
}

const START_TIMEOUT_MS = 20_000;
/** Of a rail whose customer acts before it answers. */
const SLOW_START_TIMEOUT_MS = 90_000;
/** The provider closes an order this long before the end of a final window. */
const CLOSING_MS = 10_000;

/** What its address answers while the provider is down. */
const DOWN = 'down';

/** The provider's answer to a call of Kefel: not before the latency, and null if none comes. */
async function ask<T>(timeoutMs: number, act: () => T): Promise<T | typeof DOWN | null> {
  const clock = here().clock;
  if (!clock.isCallPossible()) {
    return never();
  }
  if (clock.isDown('provider')) {
    return clock.call(clock.latencyMs(), () => DOWN);
  }
  if (clock.strikes('provider_start_times_out')) {
    await clock.sleep(timeoutMs);
    return null;
  }
  const latencyMs = clock.strikes('provider_slow')
    ? clock.timing.between(1_000, timeoutMs - 1_000)
    : clock.latencyMs();
  const answer = await clock.call(latencyMs, act);
  if (!clock.isCallPossible()) {
    return never();
  }
  if (clock.strikes('provider_answer_lost')) {
    await clock.sleep(timeoutMs - latencyMs);
    return null;
  }
  return answer;
}

function railOf(settings: RailSettings): Rail {
  const { id, flow, windowMs, windowIsFinal, checkAfterMs, isSlow, hasSharedAddress } = settings;
  return {
    id,
    currencies: ['ETB', 'USD'],
    startTimeoutMs: isSlow ? SLOW_START_TIMEOUT_MS : START_TIMEOUT_MS,
    plan: ({ expiresAtMs }, _method, nowMs) => ({
      flow,
      deadlineAtMs: isSlow
        ? Math.min(nowMs + SLOW_START_TIMEOUT_MS + STORING_TIME_MS, expiresAtMs)
        : windowMs === null
          ? Math.max(expiresAtMs, nowMs + 30_000)
          : nowMs + windowMs,
      windowIsFinal,
      checkAtMs: checkAfterMs === null ? null : nowMs + checkAfterMs,
    }),
    start: (order) => (isSlow ? startSlowly(order, settings) : start(order, settings)),
    ...(isSlow && { startWaitsForCustomer: true as const }),
    ...(hasSharedAddress && {
      page: async (order: RailOrder) => ({ redirectUrl: pageUrl(order), railReference: null }),
      openCallback: async (call) => {
        const report: Report = JSON.parse(bodyText(call));
        return isGenuine(report)
          ? { orderId: report.id, read: async (order) => readReport(report, order, report.id) }
          : null;
      },
    }),
    ...(checkAfterMs !== null && { query }),
    ...(!hasSharedAddress && {
      readCallback: async (call, order) =>
        readReport(JSON.parse(bodyText(call)), order, order.attempt.reference),
    }),
    ...(settings.refunds !== null && {
      refunds: settings.refunds,
      refund: (order: RefundOrder) => startRefund(order, settings),
      ...(settings.refundQueries && { refundStatus: queryRefund }),
      ...(settings.refundCallbacks && {
        readRefundCallback: async (call, { refund }) => {
          const report: Report = JSON.parse(bodyText(call));
          return isGenuine(report) && report.id === refund.reference
            ? { type: 'outcome', outcome: refundAnswer(report.state), reply: textReply(200, 'ok') }
            : { type: 'refused', suspicion: 'not_authentic', reply: textReply(401, 'no') };
        },
      }),
    }),
  } satisfies Rail;
}

function pageUrl({ attempt }: RailOrder): string {
  return `https://provider.example.com/${attempt.reference}`;
}

function openOrder(order: RailOrder, { windowIsFinal, hasSharedAddress }: RailSettings) {
  const { attempt } = order;
  const { timing } = here().clock;
  here().journal.noteAttempt(attempt.reference, order.terms);
  const lateMs = windowIsFinal ? -CLOSING_MS : timing.pick([0, 30_000, 600_000]);
  return here().provider.open({
    reference: attempt.reference,
    method: methodOf(attempt.railId),
    amountMinor: order.chargedMinor,
    url: hasSharedAddress
      ? `shared:${attempt.railId}:`
      : `attempt:${attempt.railId}:${order.attemptToken}`,
    reportedId: order.orderId ?? attempt.reference,
    closesAtMs: attempt.deadlineAtMs + lateMs,
  });
}

function methodOf(railId: string): Method {
  const method = METHODS.find((one) => settingsOf(one).id === railId);
  if (method === undefined) {
    throw new Error(`no rail ${railId}`);
  }
  return method;
}

/**
 * The customer comes to the provider's page, which may still have to learn of the order. Null: the
 * provider has told Kefel that it knows no such order, and takes it no more.
 */
export function visitPage(order: RailOrder): ProviderOrder | null {
  const { reference, deadlineAtMs } = order.attempt;
  const known = here().provider.orders.get(reference);
  if (known === undefined && here().clock.nowMs > deadlineAtMs) {
    return null;
  }
  const settings = METHODS.map(settingsOf).find(({ id }) => id === order.attempt.railId);
  return known ?? openOrder(order, settings ?? REDIRECT);
}

async function start(order: RailOrder, settings: RailSettings): Promise<StartResult> {
  if (settings.hasSharedAddress) {
    // The provider learns of the order from its page.
    return { type: 'accepted', redirectUrl: pageUrl(order), railReference: null };
  }
  const answer = await ask(START_TIMEOUT_MS, () => {
    if (here().clock.strikes('provider_refuses_start')) {
      return 'refused';
    }
    const opened = openOrder(order, settings);
    opened.starts += 1;
    if (settings.flow === 'push') {
      actOnPhone(order, opened);
    }
    return 'accepted';
  });
  if (answer === null) {
    return { type: 'unknown' };
  }
  if (answer === DOWN) {
    return { type: 'refused', reason: 'rail_unavailable' };
  }
  return answer === 'refused'
    ? { type: 'refused', reason: 'insufficient_funds' }
    : {
        type: 'accepted',
        redirectUrl: settings.flow === 'redirect' ? pageUrl(order) : null,
        railReference: `P-${order.attempt.reference}`,
      };
}

function actOnPhone({ terms }: RailOrder, opened: ProviderOrder, done?: () => void): void {
  const planned = here().provider.decisions.get(terms.uniqueId);
  here().provider.decide(opened, planned?.decision ?? 'ignore', planned?.afterMs ?? 0, done);
}

/** The answer comes only after the customer has acted, or not at all. */
async function startSlowly(order: RailOrder, settings: RailSettings): Promise<StartResult> {
  const clock = here().clock;
  const process = clock.current;
  const opened = await ask(5_000, () => {
    const known = openOrder(order, settings);
    known.starts += 1;
    return known;
  });
  if (opened === null) {
    return { type: 'unknown' };
  }
  if (opened === DOWN) {
    return { type: 'refused', reason: 'rail_unavailable' };
  }
  const acted = new Promise<void>((resolve) => {
    actOnPhone(order, opened, () => clock.schedule(process, clock.latencyMs(), resolve));
  });
  await Promise.race([acted, clock.sleep(SLOW_START_TIMEOUT_MS - 6_000)]);
  if (opened.state === 'open' || clock.strikes('provider_answer_lost')) {
    return { type: 'unknown' };
  }
  return opened.state === 'paid'
    ? { type: 'resolved', outcome: paid(order.attempt) }
    : { type: 'refused', reason: 'canceled_by_customer' };
}

/** Whether the provider dates its payments. */
export function datesPayments(railId: string): boolean {
  return railId === REDIRECT.id || railId === PUSH.id;
}

function paid({ reference, railId }: Attempt): Outcome {
  const paidAtMs = datesPayments(railId) ? here().provider.orders.get(reference)?.paidAtMs : null;
  return { type: 'succeeded', receipt: `R-${reference}`, paidAtMs: paidAtMs ?? null };
}

async function query({ attempt }: RailOrder, nowMs: number): Promise<Outcome> {
  const { reference, deadlineAtMs, checks, startedAtMs } = attempt;
  const clock = here().clock;
  const checkAtMs = nextCheckAtMs(checks, startedAtMs, nowMs);
  if (!clock.isCallPossible()) {
    return never();
  }
  const isLost = clock.isDown('provider') || clock.strikes('query_times_out');
  const answer = await clock.call(isLost ? 10_000 : clock.latencyMs(), () =>
    isLost ? 'unknown' : here().provider.query(reference, deadlineAtMs),
  );
  switch (answer) {
    case 'succeeded':
      return paid(attempt);
    case 'failed':
      return { type: 'failed', reason: 'timed_out' };
    case 'unknown':
      return { type: 'unknown', checkAtMs };
  }
}

function readReport(report: Report, order: RailOrder, id: string): CallbackReading {
  const refused = (suspicion: 'not_authentic' | 'other_order' | 'wrong_amount') =>
    ({ type: 'refused', suspicion, reply: textReply(401, 'no') }) as const;
  if (!isGenuine(report)) {
    return refused('not_authentic');
  }
  if (report.id !== id) {
    return refused('other_order');
  }
  if (report.amountMinor !== order.chargedMinor) {
    return refused('wrong_amount');
  }
  const outcome: Outcome =
    report.state === 'paid' ? paid(order.attempt) : { type: 'failed', reason: 'declined' };
  return { type: 'outcome', outcome, reply: textReply(200, 'ok') };
}

async function startRefund(
  { payment, refund, callbackUrl }: RefundOrder,
  { refundCallbacks }: RailSettings,
): Promise<RefundAnswer> {
  const answer = await ask(START_TIMEOUT_MS, () => {
    if (here().clock.strikes('refund_needs_action')) {
      return 'requires_action';
    }
    const { reference, returnedMinor: amountMinor } = refund;
    const token = callbackUrl.slice(callbackUrl.lastIndexOf('/') + 1);
    const url = refundCallbacks ? `refund:${payment.attempt.railId}:${token}` : null;
    const asked = here().provider.refund(payment.attempt.reference, {
      reference,
      amountMinor,
      url,
    });
    return asked?.state ?? 'refused';
  });
  if (answer === 'requires_action') {
    return { type: 'requires_action', reason: 'not_enabled' };
  }
  if (answer === DOWN) {
    return { type: 'failed', reason: 'rail_unavailable' };
  }
  return answer === null ? { type: 'unknown' } : refundAnswer(answer);
}

async function queryRefund({ payment, refund }: RefundOrder): Promise<RefundAnswer> {
  const clock = here().clock;
  if (!clock.isCallPossible()) {
    return never();
  }
  const isLost = clock.isDown('provider') || clock.strikes('query_times_out');
  const known = await clock.call(isLost ? 10_000 : clock.latencyMs(), () =>
    here().provider.orders.get(payment.attempt.reference)?.refunds.get(refund.reference),
  );
  return isLost || known === undefined ? { type: 'unknown' } : refundAnswer(known.state);
}

function refundAnswer(state: Report['state'] | 'accepted'): RefundAnswer {
  switch (state) {
    case 'returned':
      return { type: 'succeeded', railReference: null };
    case 'refused':
      return { type: 'failed', reason: 'declined' };
    default:
      return { type: 'unknown' };
  }
}

const RAILS = new Map(METHODS.map((method) => [method, railOf(settingsOf(method))]));

/** In place of those of `src/engine/rails/settings.ts`. The sandbox has only Kefel's own simulator. */
export function configuredRail(_env: Env, environment: Environment, method: Method): Rail | null {
  return environment === 'production' ? (RAILS.get(method) ?? null) : null;
}

/** What a method takes in production. */
export function productionRules(env: Env, method: Method): Rail {
  const rail = configuredRail(env, 'production', method);
  if (rail === null) {
    throw new Error('every method has a rail');
  }
  return rail;
}

export function railConfiguration(env: Env, environment: Environment, method: Method) {
  const rail = configuredRail(env, environment, method);
  return rail === null
    ? ({ state: 'not_configured' } as const)
    : ({ state: 'configured', rail } as const);
}

export const CALLBACK_ROUTES = [{ railId: 'cbe-birr', verbs: ['POST'], sharedPath: '' }] as const;

export function methodOfSharedAddress(railId: string): Method | undefined {
  return railId === 'cbe-birr' ? 'CBE' : undefined;
}
