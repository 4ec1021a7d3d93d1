import type { AttemptPlan, IntentTerms, Outcome } from '../../domain/intent.ts';
import type { Method } from '../../domain/method.ts';
import { nextCheckAtMs } from '../../domain/schedule.ts';
import { isPending } from '../../domain/time.ts';
import { callRail, jsonObject, type RailAnswer } from '../call-rail.ts';
import {
  bodyText,
  type CallbackReading,
  emptyReply,
  refusedCallback,
  textReply,
} from '../callback.ts';
import { withProviderCode } from '../provider-code.ts';
import type {
  Callbacks,
  OpenedCallback,
  Rail,
  RailOrder,
  RailPage,
  RecoverablePage,
  SharedCallbackAddress,
  StartResult,
  StatusQuery,
} from '../rail.ts';
import { logRailAnswer } from '../rail-log.ts';
import { openCallback } from './callback.ts';
import { pageUrlOf } from './page-url.ts';
import { hashOf, sealOf } from './seal.ts';
import type { CbeBirrSettings } from './settings.ts';
import { type StateReport, statusReport } from './state-report.ts';

export const CBE_BIRR_RAIL_ID = 'cbe-birr';
/** `start` calls nobody; the interface wants a bound all the same. */
const START_TIMEOUT_MS = 1_000;
const STATUS_TIMEOUT_MS = 10_000;
/** What CBE's page takes; it is not told which. */
const CURRENCY = 'ETB';
/** Nobody logs in and pays sooner. */
const FIRST_CHECK_AFTER_MS = 30_000;

/**
 * CBE Birr's web payment gateway ("cbebpg"): the customer is sent to CBE's page with an order
 * sealed into the address, CBE posts the end to an address registered once, and is queried for the
 * state before anything is believed. Its transaction id is our order id.
 */
export function cbeBirrRail(
  settings: CbeBirrSettings,
): Rail & RecoverablePage & StatusQuery & Callbacks & SharedCallbackAddress {
  const seal = sealOf(settings.secret);

  const pageOf = (order: RailOrder): RailPage => {
    const railReference = transactionIdFor(order);
    const redirectUrl = pageUrlOf(settings, seal, railReference, order.chargedMinor);
    return { redirectUrl, railReference };
  };

  const queryState = async (transactionId: string): Promise<RailAnswer> => {
    const Signiture = hashOf([
      ['Key', settings.secret],
      ['Tillcode', settings.tillCode],
      ['transactionId', transactionId],
    ]);
    return callRail(
      `${settings.statusBaseUrl ?? settings.baseUrl}/api/cbebpg/TXNSTAT`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ transactionId, Tillcode: settings.tillCode, Signiture }),
      },
      STATUS_TIMEOUT_MS,
    );
  };

  /** CBE's report about a transaction, or null for any answer that does not prove itself. */
  const reportIn = (answer: RailAnswer, transactionId: string): StateReport | null => {
    // CBE also answers with plain text, for one when it knows no such transaction.
    const sealed =
      answer.type === 'answered' && answer.status === 200
        ? jsonObject(answer.text)?.EncryptedResponseValue
        : null;
    const report = typeof sealed === 'string' ? statusReport(settings, seal, sealed) : null;
    return report?.transactionId === transactionId ? report : null;
  };

  const queryOutcome = async (
    { attempt }: RailOrder,
    transactionId: string,
    checkAtMs: number | null,
  ): Promise<Outcome> => {
    const answer = await queryState(transactionId);
    const report = reportIn(answer, transactionId);
    const logged = {
      rail: CBE_BIRR_RAIL_ID,
      call: 'TXNSTAT',
      reference: attempt.reference,
      // By this alone an operator can ask the bank.
      railReference: transactionId,
      status: answer.type === 'answered' ? answer.status : undefined,
      providerCode: report?.providerCode ?? null,
    };
    switch (report?.state) {
      case 'paid':
        // The report has no number of CBE's own that could be kept as a receipt.
        return withProviderCode({ type: 'succeeded', receipt: null }, logged.providerCode);
      case 'failed':
        logRailAnswer({ ...logged, level: 'info' });
        return withProviderCode({ type: 'failed', reason: 'declined' }, logged.providerCode);
      default:
        logRailAnswer(logged);
        return withProviderCode({ type: 'unknown', checkAtMs }, logged.providerCode);
    }
  };

  const readReport = async (
    { transactionId, state, providerCode }: StateReport,
    order: RailOrder,
  ): Promise<CallbackReading> => {
    if (![order.attempt.railReference, order.orderId].includes(transactionId)) {
      return refusedCallback('other_order', emptyReply(409));
    }
    if (state === 'unknown') {
      const { reference } = order.attempt;
      const railReference = transactionId;
      logRailAnswer({
        rail: CBE_BIRR_RAIL_ID,
        call: 'callback',
        reference,
        railReference,
        providerCode,
      });
    }
    // The cipher and hash are weak, and an old callback can be sent again: whatever it says, CBE
    // itself is queried. When it does not say, it is queried again soon, for the callback is news.
    const checkAtMs = nextCheckAtMs(0, order.attempt.startedAtMs, Date.now());
    const queried = await queryOutcome(order, transactionId, checkAtMs);
    const isUnconfirmed =
      state === 'paid' && queried.type !== 'succeeded' && order.attempt.status !== 'succeeded';
    if (isUnconfirmed && !isPending(order.attempt)) {
      return refusedCallback('not_confirmed', emptyReply(503));
    }
    return isUnconfirmed
      ? {
          type: 'outcome',
          // The report and the status query contradict each other.
          outcome: withProviderCode({ type: 'unknown', checkAtMs }, providerCode),
          reply: textReply(503, 'Not confirmed'),
        }
      : // The reply that CBE expects is not published; its other endpoints answer 200.
        { type: 'outcome', outcome: queried, reply: textReply(200, 'OK') };
  };

  return {
    id: CBE_BIRR_RAIL_ID,
    currencies: [CURRENCY],
    startTimeoutMs: START_TIMEOUT_MS,

    plan(terms: IntentTerms, _method: Method, nowMs: number): AttemptPlan {
      return {
        flow: 'redirect',
        deadlineAtMs: Math.max(terms.expiresAtMs, nowMs + settings.pageWindowSeconds * 1_000),
        windowIsFinal: false,
        checkAtMs: nowMs + FIRST_CHECK_AFTER_MS,
      };
    },

    async start(order: RailOrder): Promise<StartResult> {
      return order.terms.currency === CURRENCY
        ? { type: 'accepted', ...pageOf(order) }
        : { type: 'refused', reason: 'misconfigured' };
    },

    page: (order) => (order.terms.currency === CURRENCY ? pageOf(order) : null),

    async query(order: RailOrder, nowMs: number): Promise<Outcome> {
      const { checks, startedAtMs } = order.attempt;
      return queryOutcome(
        order,
        transactionIdFor(order),
        nextCheckAtMs(checks, startedAtMs, nowMs),
      );
    },

    async readCallback(call, order) {
      const opened = openCallback(settings, seal, bodyText(call));
      return opened.type === 'refused'
        ? refusedCallback(
            opened.suspicion,
            emptyReply(opened.suspicion === 'unreadable' ? 400 : 401),
          )
        : readReport(opened.report, order);
    },

    openCallback(call): OpenedCallback | null {
      const opened = openCallback(settings, seal, bodyText(call));
      if (opened.type === 'refused') {
        return null;
      }
      const { report } = opened;
      return { orderId: report.transactionId, read: (order) => readReport(report, order) };
    },
  };
}

/**
 * The id that the attempt was started with. It is stored as the rail's reference, because the order
 * id of the same attempt changes when the keys that sign it are rotated.
 */
function transactionIdFor({ attempt, orderId }: RailOrder): string {
  const transactionId = attempt.railReference ?? orderId;
  if (transactionId === undefined) {
    throw new Error('an order for CBE needs an order id');
  }
  return transactionId;
}
