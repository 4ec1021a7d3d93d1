import type { FailureReason } from '../domain/intent.ts';
import { ENVIRONMENTS, type Environment, METHODS, type Method } from '../domain/method.ts';
import { batch, type SqlStatement } from '../platform/database.ts';
import { PAYMENTS_BY_TIME } from './payment-row.ts';

/** When a payment by one method last ended one way, over all merchants. */
export interface LastOutcome {
  readonly environment: Environment;
  readonly method: Method;
  readonly status: 'succeeded' | 'failed';
  readonly atMs: number;
  readonly failureReason: FailureReason | null;
}

/** For the operator: the last success and the last failure of each method that has one. */
export async function lastOutcomes(db: D1Database): Promise<readonly LastOutcome[]> {
  const wanted = ENVIRONMENTS.flatMap((environment) =>
    METHODS.flatMap((method) =>
      (['succeeded', 'failed'] as const).map((status) => ({ environment, method, status })),
    ),
  );
  const results = await batch<Pick<LastOutcome, 'atMs' | 'failureReason'>>(
    db,
    wanted.map(lastOutcomeStatement),
  );
  return wanted.flatMap((outcome, index) => {
    const row = results[index]?.results[0];
    return row === undefined ? [] : [{ ...outcome, ...row }];
  });
}

/** One look-up for each merchant: the index begins with it. */
export function lastOutcomeStatement(
  outcome: Pick<LastOutcome, 'environment' | 'method' | 'status'>,
): SqlStatement {
  return {
    sql: `SELECT payment.updated_at_ms AS atMs, payment.failure_reason AS failureReason
      FROM merchants CROSS JOIN payment INDEXED BY ${PAYMENTS_BY_TIME}
        ON payment.merchant_id = merchants.id AND payment.environment = ?1
        AND (payment.created_at_ms, payment.uuid) = (
        SELECT newest.created_at_ms, newest.uuid FROM payment AS newest INDEXED BY payment_ended
        WHERE newest.merchant_id = merchants.id AND newest.environment = ?1
          AND newest.status NOT IN ('open', 'processing') AND newest.status = ?2 AND newest.method = ?3
        ORDER BY newest.created_at_ms DESC, newest.uuid DESC LIMIT 1)
      ORDER BY payment.updated_at_ms DESC LIMIT 1`,
    params: [outcome.environment, outcome.status, outcome.method],
  };
}
