import type { Attempt } from './attempt.ts';
import type { Command, Rejection } from './command.ts';
import { attemptInFlight, type EventType, type Intent } from './intent.ts';
import { refundTimes } from './refund-time.ts';
import { expiryAtMs } from './restored-hold.ts';
import type { IntentTerms } from './terms.ts';
import { queryTimeMs, windowIsOpen } from './time.ts';
import { transition } from './transition.ts';

/** A new intent, open and payable. */
export function openIntent(terms: IntentTerms): Intent {
  return {
    terms,
    status: 'open',
    previousStatus: null,
    failureReason: null,
    version: 1,
    late: false,
    attempts: [],
    refunds: [],
    paidAttemptId: null,
    anomalies: [],
    updatedAtMs: terms.createdAtMs,
    endedAtMs: null,
  };
}

/** The steps that a list of commands causes, and their result. */
export interface Decision {
  /** The steps with a visible change. Each has its own version and at most one event. */
  readonly steps: readonly {
    readonly command: Command;
    readonly intent: Intent;
    readonly event: EventType | null;
  }[];
  readonly intent: Intent;
  /** Why a command was rejected, which stopped the rest; null when all were accepted. */
  readonly rejection: Rejection | null;
}

/**
 * Applies commands in order, up to the first rejection. Separate steps before each command apply
 * elapsed time, so that an expiry and a late proof right after it are two versions with two events,
 * and so are two refunds that time changes.
 */
export function decide(before: Intent, commands: readonly Command[], nowMs: number): Decision {
  const steps: Decision['steps'][number][] = [];
  let intent = before;
  const apply = (command: Command) => {
    const step = transition(intent, command, nowMs);
    const isVisible = step.intent.version !== intent.version;
    if (isVisible) {
      steps.push({ command, intent: step.intent, event: step.events[0] ?? null });
    }
    intent = step.intent;
    return { isVisible, rejection: step.rejection };
  };
  for (const command of commands) {
    while (apply({ type: 'tick' }).isVisible) {
      // The loop ends when time has no more effect.
    }
    const { rejection } = apply(command);
    if (rejection !== null) {
      return { steps, intent, rejection };
    }
  }
  return { steps, intent, rejection: null };
}

/** When time next changes the intent or a provider query is due; null when never. */
export function nextWakeAtMs(intent: Intent): number | null {
  const mayExpire = intent.status === 'open' || attemptInFlight(intent)?.status === 'unresolved';
  const times = [
    ...refundTimes(intent),
    ...(mayExpire ? [expiryAtMs(intent)] : []),
    ...intent.attempts.filter(windowIsOpen).map(({ deadlineAtMs }) => deadlineAtMs),
    ...intent.attempts.flatMap((attempt) => queryTimeMs(attempt) ?? []),
  ];
  return times.length === 0 ? null : Math.min(...times);
}

/** Attempts whose provider query is due. */
export function attemptsToCheck(intent: Intent, nowMs: number): readonly Attempt[] {
  return intent.attempts.filter((attempt) => {
    const queryAtMs = queryTimeMs(attempt);
    return queryAtMs !== null && queryAtMs <= nowMs;
  });
}
