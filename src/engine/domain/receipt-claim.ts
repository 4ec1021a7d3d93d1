import type { Attempt } from './attempt.ts';
import type { Command } from './command.ts';
import type { Intent } from './intent.ts';
import { phoneFrom } from './phone.ts';
import { isSameReceipt, normalizedReceipt } from './receipt.ts';
import { reject, type Step, withAttempt } from './step.ts';
import { isPending } from './time.ts';

/**
 * A customer who paid types the number of the provider's message. It is a claim: an operator looks it
 * up, and it never changes what Kefel knows of the payment (docs/decisions.md#65).
 */

/** A mistyped number, its correction and a second message; bounds the payment's record. */
export const CLAIMS_MAX = 3;

/** As long as the receipts that an operator can record. */
export const CLAIM_LENGTH_MAX = 64;

/** Shorter numbers are amounts and PINs. */
const CLAIM_CHARACTERS_MIN = 6;

/** A whole message or its link, which customers copy instead of the number. Bounds the form's field. */
export const CLAIM_TEXT_LENGTH_MAX = 400;

/** Where messages of the providers name the number: in words, and in the link of its page. */
const IN_MESSAGE =
  /(?:\/receipt\/|[?&]TID=|\b(?:transaction number|txn id)\s*(?:is)?[\s:]*)([a-z0-9]{6,20})\b/i;

const PRINTABLE = new RegExp(`^[!-~]{1,${CLAIM_LENGTH_MAX}}$`);

/** The number in what a customer typed, or null for a text without one, such as a phone number. */
export function claimedReceipt(typed: string): string | null {
  const text = typed.slice(0, CLAIM_TEXT_LENGTH_MAX).normalize('NFKC');
  const receipt = IN_MESSAGE.exec(text)?.[1] ?? text.replaceAll(/\s/g, '');
  const characters = PRINTABLE.test(receipt) ? normalizedReceipt(receipt) : '';
  return characters.length >= CLAIM_CHARACTERS_MIN &&
    /\d/.test(characters) &&
    phoneFrom(receipt) === null
    ? receipt
    : null;
}

/** The same claim again changes nothing. */
export function claimReceipt(
  step: Step,
  attempt: Attempt,
  { receipt }: Extract<Command, { type: 'claim_receipt' }>,
): Step {
  const { claimedReceipts = [] } = attempt;
  if (step.intent.status === 'succeeded' || !isPending(attempt)) {
    return reject(step, 'attempt_not_pending');
  }
  if (claimedReceipts.some((claimed) => isSameReceipt(claimed, receipt))) {
    return step;
  }
  return claimedReceipts.length >= CLAIMS_MAX || claimedReceipt(receipt) !== receipt
    ? reject(step, 'claim_refused')
    : withAttempt(step, { ...attempt, claimedReceipts: [...claimedReceipts, receipt] });
}

/** The attempt whose number a customer may type: the newest without an outcome in its time. */
export function claimableAttempt({ status, terms, attempts }: Intent, nowMs: number) {
  const isOpen = (attempt: Attempt) =>
    attempt.status === 'unresolved' ||
    (attempt.status === 'processing' && nowMs >= terms.expiresAtMs);
  return status === 'succeeded' ? null : (attempts.findLast(isOpen) ?? null);
}
