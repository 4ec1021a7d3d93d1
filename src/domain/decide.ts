import {
  type Attempt,
  attemptInFlight,
  type Command,
  type EventType,
  type Intent,
  type IntentTerms,
  type Rejection,
} from './intent.ts';
import { isCheckDue, isPending, windowIsOpen } from './time.ts';
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
    paidAttemptId: null,
    anomalies: [],
    updatedAtMs: terms.createdAtMs,
    endedAtMs: null,
  };
}

/** The steps that a list of commands comes to, and where they lead. */
export interface Decision {
  /** Only steps that are news; each has a version and at most one event of its own. */
  readonly steps: readonly {
    readonly command: Command;
    readonly intent: Intent;
    readonly event: EventType | null;
  }[];
  readonly intent: Intent;
  /** Of the command that was refused and stopped the rest, or null. */
  readonly rejection: Rejection | null;
}

/**
 * Applies commands in order up to the first rejection. The time that is due is a step of its own
 * before each command, so that an expiry and a late proof right after it are two versions with two
 * events, never one.
 */
export function decide(before: Intent, commands: readonly Command[], nowMs: number): Decision {
  const steps: Decision['steps'][number][] = [];
  let intent = before;
  for (const command of commands.flatMap((next): Command[] => [{ type: 'tick' }, next])) {
    const step = transition(intent, command, nowMs);
    if (step.intent.version !== intent.version) {
      steps.push({ command, intent: step.intent, event: step.events[0] ?? null });
    }
    intent = step.intent;
    if (step.rejection !== null) {
      return { steps, intent, rejection: step.rejection };
    }
  }
  return { steps, intent, rejection: null };
}

/** When time alone next changes the intent or a rail must be asked; null when never. */
export function nextWakeAtMs(intent: Intent): number | null {
  const times: number[] = [];
  const current = attemptInFlight(intent);
  if (intent.status === 'open' || current?.status === 'unresolved') {
    times.push(intent.terms.expiresAtMs);
  }
  for (const attempt of intent.attempts) {
    if (windowIsOpen(attempt)) {
      times.push(attempt.deadlineAtMs);
    }
    if (isPending(attempt) && attempt.checkAtMs !== null) {
      times.push(attempt.checkAtMs);
    }
  }
  return times.length === 0 ? null : Math.min(...times);
}

/** Attempts whose outcome the rail should be asked for now. */
export function attemptsToCheck(intent: Intent, nowMs: number): readonly Attempt[] {
  return intent.attempts.filter((attempt) => isPending(attempt) && isCheckDue(attempt, nowMs));
}
