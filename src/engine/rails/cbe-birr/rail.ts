import type { Outcome } from '../../domain/attempt.ts';
import { isPending } from '../../domain/time.ts';
import type { RailAnswer } from '../call-rail.ts';
import {
  bodyText,
  type CallbackCall,
  type CallbackReading,
  emptyReply,
  refusedCallback,
  textReply,
} from '../callback.ts';
import { jsonObject } from '../members.ts';
import { unknownUntilQuery, withProviderCode } from '../outcomes.ts';
import type { OpenedCallback, Rail, RailPage, StartResult } from '../rail.ts';
import { logRailAnswer } from '../rail-log.ts';
import { ORDER_ID_CHARACTERS, type RailOrder } from '../rail-order.ts';
import { pageUrlOf } from './page-url.ts';
import { queryState, sealedIn } from './query.ts';
import { type Seal, sealOf } from './seal.ts';
import type { CbeBirrSettings } from './settings.ts';
import { callbackReport, type StateReport, sealedCallback, statusReport } from './state-report.ts';

export const CBE_BIRR_RAIL_ID = 'cbe-birr';
/** `start` makes no call, but the interface requires a bound. */
const START_TIMEOUT_MS = 1_000;
/** CBE's page accepts only this currency; the request does not name it. */
const CURRENCY = 'ETB';
/** The fastest customer needs this long to log in and pay. */
const FIRST_CHECK_AFTER_MS = 30_000;

/**
 * CBE Birr's web payment gateway ("cbebpg"). The customer goes to CBE's page with an order encrypted
 * in the URL. CBE posts the result to a URL that is registered once. We query CBE for the state
 * before we believe it. CBE's transaction id is our order id.
 */
export function cbeBirrRail(settings: CbeBirrSettings) {
  let known: Seal | undefined;
  // Keeps the seal, never the promise: a request must not await a promise of another request.
  const sealOnce = async () => {
    known ??= await sealOf(settings.secret);
    return known;
  };

  const pageOf = async (order: RailOrder): Promise<RailPage> => {
    const railReference = transactionIdFor(settings, order);
    const seal = await sealOnce();
    const redirectUrl = await pageUrlOf(settings, seal, railReference, order.chargedMinor);
    return { redirectUrl, railReference };
  };

  const queryOutcome = async (
    order: RailOrder,
    transactionId: string,
    checkAtMs: number | null,
  ): Promise<Outcome> => {
    const answer = await queryState(settings, transactionId);
    const sealed = sealedIn(answer);
    const opened = sealed === null ? null : await statusReport(settings, await sealOnce(), sealed);
    const report = opened?.transactionId === transactionId ? opened : null;
    const providerCode = report?.providerCode ?? null;
    if (report?.state === 'paid') {
      // The report contains no id of CBE's own that could serve as a receipt.
      return withProviderCode({ type: 'succeeded', receipt: null }, providerCode);
    }
    const { status } = answer;
    const level = isWaiting(answer, report) ? 'info' : 'warn';
    // The bank looks orders up by this id alone.
    const railReference = transactionId;
    const logged = { railReference, status, providerCode, level } as const;
    logRailAnswer(CBE_BIRR_RAIL_ID, 'TXNSTAT', order, logged);
    return withProviderCode(
      report?.state === 'failed'
        ? { type: 'failed', reason: 'declined' }
        : { type: 'unknown', checkAtMs },
      providerCode,
    );
  };

  const openedReport = async (
    call: CallbackCall,
  ): Promise<StateReport | 'unreadable' | 'not_authentic'> => {
    const sealed = sealedCallback(bodyText(call));
    return sealed === null
      ? 'unreadable'
      : ((await callbackReport(settings, await sealOnce(), sealed)) ?? 'not_authentic');
  };

  const readReport = async (
    { transactionId, state, providerCode }: StateReport,
    order: RailOrder,
  ): Promise<CallbackReading> => {
    if (![order.attempt.railReference, order.orderId].includes(transactionId)) {
      return refusedCallback('other_order', emptyReply(409));
    }
    if (state === 'unknown') {
      const railReference = transactionId;
      logRailAnswer(CBE_BIRR_RAIL_ID, 'callback', order, { railReference, providerCode });
    }
    // The cipher and hash are weak, and an attacker can replay an old callback, so we always query
    // CBE. An inconclusive query repeats soon, because the callback says that something happened.
    const { checkAtMs = null } = unknownUntilQuery(order, Date.now(), 0);
    const queried = await queryOutcome(order, transactionId, checkAtMs);
    const isUnconfirmed =
      state === 'paid' && queried.type !== 'succeeded' && order.attempt.status !== 'succeeded';
    if (!isUnconfirmed) {
      // CBE publishes no expected reply; its other endpoints answer 200.
      return { type: 'outcome', outcome: queried, reply: textReply(200, 'OK') };
    }
    if (!isPending(order.attempt)) {
      return refusedCallback('not_confirmed', emptyReply(503));
    }
    // The report and the status query contradict each other.
    const outcome = withProviderCode({ type: 'unknown', checkAtMs }, providerCode);
    return { type: 'outcome', outcome, reply: textReply(503, 'Not confirmed') };
  };

  return {
    id: CBE_BIRR_RAIL_ID,
    currencies: [CURRENCY],
    startTimeoutMs: START_TIMEOUT_MS,

    plan: ({ expiresAtMs }, _method, nowMs) => ({
      flow: 'redirect',
      // CBE's page has no parameter for a lifetime, and CBE publishes none.
      deadlineAtMs: Math.max(expiresAtMs, nowMs + settings.pageWindowSeconds * 1_000),
      windowIsFinal: false,
      checkAtMs: nowMs + FIRST_CHECK_AFTER_MS,
    }),

    async start(order): Promise<StartResult> {
      return order.terms.currency === CURRENCY
        ? { type: 'accepted', ...(await pageOf(order)) }
        : { type: 'refused', reason: 'misconfigured' };
    },

    page: async (order) => (order.terms.currency === CURRENCY ? pageOf(order) : null),

    async query(order, nowMs) {
      const { checkAtMs } = unknownUntilQuery(order, nowMs);
      return queryOutcome(order, transactionIdFor(settings, order), checkAtMs ?? null);
    },

    async readCallback(call, order) {
      const report = await openedReport(call);
      return typeof report === 'string'
        ? refusedCallback(report, emptyReply(report === 'unreadable' ? 400 : 401))
        : readReport(report, order);
    },

    probe: async () => (await import('./probe.ts')).probe(settings, await sealOnce()),

    async openCallback(call): Promise<OpenedCallback | null> {
      const report = await openedReport(call);
      return typeof report === 'string'
        ? null
        : { orderId: report.transactionId, read: (order) => readReport(report, order) };
    },
  } satisfies Rail;
}

/**
 * Whether a query that finds no payment needs no operator: it has failed, or the customer has not
 * paid yet. CBE then answers with an unlisted state, or with plain text while it does not know the transaction. A
 * callback with an unlisted state is logged as a warning, because CBE calls when something ended.
 */
function isWaiting(answer: RailAnswer, report: StateReport | null): boolean {
  return answer.status === 200 && (report !== null || jsonObject(answer.text) === null);
}

/**
 * The id with which the attempt started. It is stored as the rail's reference, because a rotation
 * of the signing keys changes the order id of the attempt.
 */
function transactionIdFor(settings: CbeBirrSettings, { attempt, orderId }: RailOrder): string {
  const isShort = settings.transactionIdCharactersMax < ORDER_ID_CHARACTERS;
  const transactionId = attempt.railReference ?? (isShort ? attempt.reference : orderId);
  if (transactionId === undefined) {
    throw new Error('An order for CBE needs an order id');
  }
  return transactionId;
}
