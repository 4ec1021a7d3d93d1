import type { AttemptPlan, IntentTerms, Outcome } from '../../domain/intent.ts';
import type { Method } from '../../domain/method.ts';
import { nextCheckAtMs } from '../../domain/schedule.ts';
import { readBytes } from '../../http/read-bytes.ts';
import { callRail, jsonObject } from '../call-rail.ts';
import type { CallbackResult, CallbackSuspicion, Rail, RailOrder, StartResult } from '../rail.ts';
import { openCallback } from './callback.ts';
import { pageUrlOf } from './page-url.ts';
import { hashOf, sealOf } from './seal.ts';
import type { CbeBirrSettings } from './settings.ts';
import { type StateReport, statusReport } from './state-report.ts';

/** `start` calls nobody; the interface wants a bound all the same. */
const START_TIMEOUT_MS = 1_000;
const STATUS_TIMEOUT_MS = 10_000;
/** Callbacks have about 500 bytes. */
const CALLBACK_BYTES_MAX = 64 * 1024;
/** Nobody logs in and pays sooner. */
const FIRST_CHECK_AFTER_MS = 30_000;

/**
 * CBE Birr's web payment gateway ("cbebpg"): the customer is sent to CBE's page with an order
 * sealed into the address, CBE posts the end to an address registered once, and is asked for the
 * state before anything is believed. Its transaction id is the order's self-describing one.
 */
export function cbeBirrRail(settings: CbeBirrSettings): Rail {
  const seal = sealOf(settings.secret);

  const pageUrl = (order: RailOrder): string =>
    pageUrlOf(settings, seal, transactionIdFor(order), order.chargedMinor);

  /** CBE's report about a transaction, or null for any answer that does not prove itself. */
  const askedReport = async (transactionId: string): Promise<StateReport | null> => {
    const Signiture = hashOf([
      ['Key', settings.secret],
      ['Tillcode', settings.tillCode],
      ['transactionId', transactionId],
    ]);
    const answer = await callRail(
      `${settings.statusBaseUrl ?? settings.baseUrl}/api/cbebpg/TXNSTAT`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ transactionId, Tillcode: settings.tillCode, Signiture }),
      },
      STATUS_TIMEOUT_MS,
    );
    // CBE also answers with plain text, for one when it knows no such transaction.
    const sealed =
      answer.type === 'answered' && answer.status === 200
        ? jsonObject(answer.text)?.EncryptedResponseValue
        : null;
    const report = typeof sealed === 'string' ? statusReport(settings, seal, sealed) : null;
    return report?.transactionId === transactionId ? report : null;
  };

  const outcomeAt = async (transactionId: string, checkAtMs: number | null): Promise<Outcome> => {
    const report = await askedReport(transactionId);
    switch (report?.state) {
      case 'paid':
        // The report has no number of CBE's own that could be kept as a receipt.
        return { type: 'succeeded', receipt: null };
      case 'failed':
        return { type: 'failed', reason: 'declined' };
      default:
        return { type: 'unknown', checkAtMs };
    }
  };

  return {
    id: 'cbe-birr',
    currencies: ['ETB'],
    startTimeoutMs: START_TIMEOUT_MS,
    startsInQueue: false,

    plan(terms: IntentTerms, _method: Method, nowMs: number): AttemptPlan {
      return {
        flow: 'redirect',
        deadlineAtMs: Math.max(terms.expiresAtMs, nowMs + settings.pageWindowSeconds * 1_000),
        windowIsFinal: false,
        checkAtMs: nowMs + FIRST_CHECK_AFTER_MS,
      };
    },

    async start(order: RailOrder): Promise<StartResult> {
      const railReference = transactionIdFor(order);
      return { type: 'accepted', redirectUrl: pageUrl(order), railReference };
    },

    pageUrl,

    async query(order: RailOrder, nowMs: number): Promise<Outcome> {
      const { checks, startedAtMs } = order.attempt;
      return outcomeAt(transactionIdFor(order), nextCheckAtMs(checks, startedAtMs, nowMs));
    },

    async handleCallback(request: Request, order: RailOrder): Promise<CallbackResult> {
      const bytes = await readBytes(request, CALLBACK_BYTES_MAX);
      if (bytes === null) {
        return refused('unreadable', 413);
      }
      const opened = openCallback(settings, seal, new TextDecoder().decode(bytes));
      if (opened.type === 'refused') {
        return refused(opened.suspicion, opened.suspicion === 'unreadable' ? 400 : 401);
      }
      const { transactionId, state } = opened.report;
      if (![order.attempt.railReference, order.selfDescribingId].includes(transactionId)) {
        return refused('other_order', 409);
      }
      if (state === 'unknown') {
        return refused('unknown_state', 422);
      }
      // The cipher and hash are weak, and an old callback can be sent again: CBE itself is asked.
      // When it does not say, it is asked again soon, for the callback is news: as after no check.
      const checkAtMs = nextCheckAtMs(0, order.attempt.startedAtMs, Date.now());
      const outcome = await outcomeAt(transactionId, checkAtMs);
      return {
        type: 'outcome',
        outcome,
        givesUp: false,
        onlyPending: false,
        // What CBE wants to hear is not published; 200 is what the published endpoints say.
        answer: () => new Response('OK'),
      };
    },
  };
}

/**
 * The id that the attempt was started with. It is kept as the rail's reference, because an order's
 * self-describing id is another one once the keys that sign it were rotated.
 */
function transactionIdFor({ attempt, selfDescribingId }: RailOrder): string {
  return attempt.railReference ?? selfDescribingId;
}

function refused(suspicion: CallbackSuspicion, status: number): CallbackResult {
  return { type: 'refused', suspicion, answer: new Response(null, { status }) };
}
