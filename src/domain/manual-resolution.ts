import type { Attempt, Command } from './intent.ts';
import { recordFailure, recordSuccess } from './resolve.ts';
import { find, reject, type Step, withAttempt } from './step.ts';
import { isPending } from './time.ts';

/** Manual resolution: the operator records the outcome that no provider query has proved. */

/** Some sentences: the history stores the note for the payment's lifetime. */
export const NOTE_LENGTH_MAX = 500;
/** A person's name or email address. */
export const OPERATOR_LENGTH_MAX = 100;
/** The longest receipt that a rail's documentation allows has 50 characters. */
export const MANUAL_RECEIPT_LENGTH_MAX = 64;

const NOTE = new RegExp(`^[^\\p{Cc}]{1,${NOTE_LENGTH_MAX}}$`, 'u');
const OPERATOR = new RegExp(`^[^\\p{Cc}]{1,${OPERATOR_LENGTH_MAX}}$`, 'u');
const RECEIPT = new RegExp(`^[!-~]{1,${MANUAL_RECEIPT_LENGTH_MAX}}$`);

type ResolveManually = Extract<Command, { type: 'resolve_manually' }>;

/**
 * Success is accepted at any time, like proof from the provider. Failure is accepted only for an
 * unresolved attempt whose window has closed: before that, the customer may still pay.
 */
export function resolveManually(step: Step, command: ResolveManually, nowMs: number): Step {
  const attempt = find(step.intent, command.attemptId);
  if (attempt === null) {
    return reject(step, 'attempt_not_found');
  }
  if (attempt.manualResolutionId === command.resolutionId) {
    // A retry of a command whose first answer was lost.
    return step;
  }
  if (!isWellFormed(command)) {
    return reject(step, 'malformed_resolution');
  }
  const { outcome, resolutionId } = command;
  const resolved: Attempt = { ...attempt, manualResolutionId: resolutionId };
  if (outcome.type === 'succeeded') {
    return attempt.status === 'succeeded'
      ? reject(step, 'attempt_not_pending')
      : recordSuccess(withAttempt(step, resolved), resolved, outcome, nowMs);
  }
  if (!isPending(attempt)) {
    return reject(step, 'attempt_not_pending');
  }
  // Includes an attempt that the customer abandoned: its provider's page may still be open.
  if (nowMs < attempt.deadlineAtMs) {
    return reject(step, 'window_open');
  }
  return attempt.status === 'processing'
    ? reject(step, 'query_due')
    : recordFailure(withAttempt(step, resolved), resolved, outcome, nowMs);
}

function isWellFormed({ operator, note, outcome }: ResolveManually): boolean {
  return isWellFormedNote(operator, note, outcome.type === 'succeeded' ? outcome.receipt : null);
}

/** Whether an operator's name, reason and the provider's receipt or reference can be stored. */
export function isWellFormedNote(operator: string, note: string, receipt: string | null): boolean {
  return (
    isText(operator, OPERATOR) && isText(note, NOTE) && (receipt === null || RECEIPT.test(receipt))
  );
}

function isText(text: string, form: RegExp): boolean {
  return form.test(text) && text.trim() !== '';
}
