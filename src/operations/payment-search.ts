import { ENVIRONMENTS } from '../domain/method.ts';
import type { PaymentRow } from '../read-model/payment-row.ts';
import { listPayments } from '../read-model/payments-list.ts';
import { searchPayments } from '../read-model/search.ts';
import { searchAllPayments } from '../read-model/search-all.ts';
import type { OperatorCall } from './call.ts';
import { merchantIdField, pathPart } from './fields.ts';
import { merchantNames } from './merchant-rows.ts';

/** The newest payments of one merchant, in each environment. */
const NEWEST_ROWS = 25;

export interface FoundPayments {
  readonly rows: readonly PaymentRow[];
  /** By merchant's id. */
  readonly merchantNames: Readonly<Record<string, string>>;
}

/**
 * Payments of one merchant in both environments, or of all merchants, by a text; one merchant's
 * newest without a text.
 */
export async function findPayments(
  { env }: Pick<OperatorCall, 'env'>,
  text: string,
  merchantId: string | null,
): Promise<FoundPayments> {
  const rows =
    merchantId === null
      ? await searchAllPayments(env, text)
      : await paymentsOf(env, text, pathPart(merchantIdField, merchantId));
  return {
    rows,
    merchantNames: await merchantNames(
      env.DB,
      rows.map((row) => row.merchantId),
    ),
  };
}

async function paymentsOf(env: Env, text: string, merchantId: string) {
  const pages = await Promise.all(
    ENVIRONMENTS.map(async (environment) => {
      const tenant = { environment, merchantId };
      return text === ''
        ? (await listPayments(env.DB, tenant, {}, null, NEWEST_ROWS)).rows
        : searchPayments(env, tenant, text);
    }),
  );
  return pages.flat().sort((one, other) => other.createdAtMs - one.createdAtMs);
}
