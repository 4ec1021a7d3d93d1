import type { Outcome } from '../../domain/intent.ts';
import { readBytes } from '../../http/read-bytes.ts';
import { withWords } from '../provider-code.ts';
import type { CallbackResult, CallbackSuspicion, RailOrder } from '../rail.ts';
import { logRailAnswer } from '../rail-log.ts';
import { type EbirrReport, ebirrReport, meaningOf, mismatchOf, wordOf } from './answer.ts';
import { EBIRR_RAIL_ID } from './settings.ts';

const BODY_BYTES_MAX = 64 * 1024;

/**
 * What eBirr posts to `returnUrl`. It is unsigned and eBirr cannot be asked about it, so it is
 * believed for what nobody else knows together: the address that we gave to eBirr alone, and the
 * order's reference; transaction id and amount must fit where they are sent and known.
 */
export async function handleEbirrCallback(
  request: Request,
  order: RailOrder,
): Promise<CallbackResult> {
  const report = await readReport(request);
  if (report === null || report.referenceId === null) {
    return refused('unreadable', 400);
  }
  const mismatch = mismatchOf(report, order);
  if (mismatch !== null) {
    return refused(mismatch, 403);
  }
  const outcome = outcomeOf(report);
  const word = wordOf(report);
  if (outcome?.type !== 'succeeded') {
    const { reference } = order.attempt;
    const level = outcome?.type === 'failed' ? 'info' : 'warn';
    logRailAnswer({ rail: EBIRR_RAIL_ID, call: 'callback', reference, word, level });
  }
  if (outcome === null) {
    return refused('unknown_state', 422);
  }
  return {
    type: 'outcome',
    outcome: withWords(outcome, word),
    givesUp: false,
    onlyPending: false,
    // What eBirr expects is not documented; integrators answer 200.
    answer: () => Response.json({ received: true }),
  };
}

async function readReport(request: Request): Promise<EbirrReport | null> {
  const bytes = await readBytes(request, BODY_BYTES_MAX);
  return bytes === null ? null : ebirrReport(new TextDecoder().decode(bytes));
}

function outcomeOf(report: EbirrReport): Outcome | null {
  const meaning = meaningOf(report);
  switch (meaning.type) {
    case 'paid':
      return { type: 'succeeded', receipt: meaning.receipt };
    case 'failed':
      return meaning;
    case 'undecided':
      return { type: 'unknown', checkAtMs: null };
    case 'unknown_state':
      return null;
  }
}

function refused(suspicion: CallbackSuspicion, status: number): CallbackResult {
  return {
    type: 'refused',
    suspicion,
    answer: Response.json({ received: false }, { status }),
  };
}
