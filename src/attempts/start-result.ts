import type { Attempt, Command } from '../domain/intent.ts';
import { nextCheckAtMs } from '../domain/schedule.ts';
import type { StartResult } from '../rails/rail.ts';

/**
 * The command that stores a rail's answer to a start. A missing answer is not a failure
 * (docs/decisions.md#16).
 */
export function commandFor(
  result: StartResult,
  attempt: Pick<Attempt, 'id' | 'startedAtMs'>,
  nowMs: number,
): Command {
  const attemptId = attempt.id;
  switch (result.type) {
    case 'accepted': {
      const { redirectUrl, railReference, providerCode = null } = result;
      return { type: 'accept_attempt', attemptId, redirectUrl, railReference, providerCode };
    }
    case 'refused':
      return {
        type: 'resolve_attempt',
        attemptId,
        outcome: {
          type: 'failed',
          reason: result.reason,
          providerCode: result.providerCode ?? null,
        },
      };
    case 'resolved':
      return { type: 'resolve_attempt', attemptId, outcome: result.outcome };
    case 'unknown': {
      const checkAtMs = nextCheckAtMs(0, attempt.startedAtMs, nowMs);
      const { providerCode = null } = result;
      return {
        type: 'resolve_attempt',
        attemptId,
        outcome: { type: 'unknown', checkAtMs, providerCode },
      };
    }
  }
}
