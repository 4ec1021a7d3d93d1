import type { Attempt } from '../domain/attempt.ts';
import type { Command } from '../domain/command.ts';
import type { Intent } from '../domain/intent.ts';
import { partyOf } from '../domain/party.ts';
import { withoutPhoneNumbers } from '../domain/phone.ts';
import { printableCode } from '../domain/provider-code.ts';
import { changedRefund } from '../domain/transition.ts';
import type { HistoryDetail, HistoryEntry } from './protocol.ts';

/** A history in JSON with another entry at its end, without parsing what it has. */
export function withEntry(history: string, entry: HistoryEntry): string {
  const separator = history === '[]' ? '' : ',';
  return `${history.slice(0, -1)}${separator}${JSON.stringify(entry)}]`;
}

/**
 * Who caused one step of the state machine, and why: what the history stores besides command and
 * status. Removes phone numbers from the operator's note. Pure.
 */
export function historyDetail(command: Command, before: Intent, after: Intent): HistoryDetail {
  const changedIndex = after.attempts.findIndex(
    ({ status }, index) => status !== before.attempts[index]?.status,
  );
  const named = 'attemptId' in command ? command.attemptId : null;
  const attemptIndex =
    changedIndex >= 0 ? changedIndex : after.attempts.findIndex(({ id }) => id === named);
  const attempt = after.attempts[attemptIndex];
  const anomaly =
    after.anomalies.length > before.anomalies.length ? after.anomalies.at(-1)?.kind : undefined;
  const outcome = outcomeDetail(command);
  const reason =
    outcome.reason ??
    (changedIndex >= 0 ? attempt?.failureReason : null) ??
    (after.status === before.status ? null : after.failureReason);
  const requester = command.type === 'request_refund' ? command.refund.requester : null;
  return {
    actor: requester?.type === 'operator' ? 'operator' : partyOf(command.type, after.terms.kind),
    ...(attempt !== undefined && {
      attemptIndex,
      method: attempt.method,
      attemptStatus: attempt.status,
    }),
    ...outcome,
    ...(reason !== null && { reason }),
    ...(anomaly !== undefined && { anomaly }),
    ...(after.late && !before.late && { late: true }),
    ...refundDetail(before, after),
    ...(requester?.type === 'operator' && {
      operator: requester.operator,
      operatorProved: requester.isProved,
    }),
    ...(command.type.startsWith('cancel') &&
      'requester' in command && { requester: command.requester }),
    ...('note' in command && {
      operator: command.operator,
      operatorProved: command.isVerified,
      ...('provedBy' in command && { operatorProvedBy: command.provedBy }),
      note: withoutPhoneNumbers(command.note),
    }),
    ...(isProposed(command, attempt) && { proposed: true }),
  };
}

function isProposed(command: Command, attempt: Attempt | undefined): boolean {
  return (
    command.type === 'resolve_manually' && attempt?.proposal?.resolutionId === command.resolutionId
  );
}

function refundDetail(before: Intent, after: Intent): Pick<HistoryDetail, 'refund'> {
  const refund = changedRefund(before, after);
  if (refund === null) {
    return {};
  }
  const { id, status, amountMinor, railReference, providerCode } = refund;
  const reason = refund.failureReason ?? refund.actionReason;
  return {
    refund: {
      id,
      status,
      amountMinor,
      ...(reason !== null && { reason }),
      ...(railReference !== null && { railReference }),
      ...(providerCode !== null && { providerCode }),
      ...(refund.proposal !== null && { proposed: true }),
    },
  };
}

function outcomeDetail(
  command: Command,
): Pick<HistoryDetail, 'outcome' | 'reason' | 'receipt' | 'providerCode'> {
  if (command.type !== 'resolve_attempt' && command.type !== 'resolve_manually') {
    return {};
  }
  const { outcome } = command;
  const providerCode = printableCode('providerCode' in outcome ? outcome.providerCode : null);
  return {
    outcome: outcome.type,
    ...(outcome.type === 'failed' && { reason: outcome.reason }),
    ...(outcome.type === 'succeeded' && outcome.receipt !== null && { receipt: outcome.receipt }),
    ...(providerCode !== null && { providerCode }),
  };
}
