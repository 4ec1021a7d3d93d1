import type { RefundAnswer, RefundOrder } from '../refund.ts';

/** What the simulator plays for a refund of a certain amount. */
export interface RefundScenario {
  /** The amount of the refund, in either currency. */
  readonly amountMinor: number;
  /** How long the refund waits before the provider is called, in milliseconds. */
  readonly startsAfterMs: number;
  /** `unknown`: no answer, or accepted, with the outcome later. */
  readonly answer: RefundAnswer;
  /** When a status query first finds the success, after the refund's creation; null: never. */
  readonly succeedsAfterMs: number | null;
}

/** Long enough to see the refund in progress, or to cancel it. */
const SLOW_AFTER_MS = 20_000;
/** The simulator plays the operator too, as there is none in a merchant's tests. */
const OPERATOR_AFTER_MS = 60_000;

const SUCCEEDED: RefundAnswer = { type: 'succeeded', railReference: null };
const UNKNOWN: RefundAnswer = { type: 'unknown' };

/** The single source of the sandbox's table of refunds (docs/sandbox.md#refunds). */
export const REFUND_SCENARIOS = {
  processed_slowly: scenario(100_21, { answer: UNKNOWN, succeedsAfterMs: SLOW_AFTER_MS }),
  declined: scenario(100_22, { answer: { type: 'failed', reason: 'declined' } }),
  insufficient_funds: scenario(100_23, {
    answer: { type: 'failed', reason: 'insufficient_funds' },
  }),
  unknown_then_refunded: scenario(100_24, {
    answer: UNKNOWN,
    succeedsAfterMs: 2 * OPERATOR_AFTER_MS,
  }),
  requires_action: scenario(100_25, {
    answer: { type: 'requires_action', reason: 'not_enabled' },
    succeedsAfterMs: OPERATOR_AFTER_MS,
  }),
  pending: scenario(100_26, { startsAfterMs: SLOW_AFTER_MS }),
} as const satisfies Readonly<Record<string, RefundScenario>>;

function scenario(
  amountMinor: number,
  changes: Partial<Omit<RefundScenario, 'amountMinor'>>,
): RefundScenario {
  return { amountMinor, startsAfterMs: 0, answer: SUCCEEDED, succeedsAfterMs: null, ...changes };
}

const BY_AMOUNT: ReadonlyMap<number, RefundScenario> = new Map(
  Object.values(REFUND_SCENARIOS).map((entry) => [entry.amountMinor, entry]),
);

/** Refunds of the sandbox: the refund's amount decides the outcome, and no money moves. */

export function startsAfterMs(amountMinor: number): number {
  return BY_AMOUNT.get(amountMinor)?.startsAfterMs ?? 0;
}

export function refund({ refund: asked }: RefundOrder): RefundAnswer {
  const { answer = SUCCEEDED } = BY_AMOUNT.get(asked.amountMinor) ?? {};
  if (answer.type === 'unknown') {
    return unknownUntil(asked);
  }
  return answer.type === 'requires_action' ? { ...answer, checkAtMs: succeedsAtMs(asked) } : answer;
}

export function refundStatus({ refund: asked }: RefundOrder, nowMs: number): RefundAnswer {
  const atMs = succeedsAtMs(asked);
  return atMs === null || nowMs < atMs ? unknownUntil(asked) : SUCCEEDED;
}

function unknownUntil(asked: RefundOrder['refund']): RefundAnswer {
  const checkAtMs = succeedsAtMs(asked);
  return checkAtMs === null ? UNKNOWN : { type: 'unknown', checkAtMs };
}

function succeedsAtMs({ amountMinor, createdAtMs }: RefundOrder['refund']): number | null {
  const afterMs = BY_AMOUNT.get(amountMinor)?.succeedsAfterMs ?? null;
  return afterMs === null ? null : createdAtMs + afterMs;
}
