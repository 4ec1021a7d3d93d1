import type { Method } from '../../engine/domain/method.ts';
import type { CommissionRate } from '../../engine/domain/money.ts';
import { REFUND_DAILY_MAX_MINOR_DEFAULT } from '../../engine/merchants/refund-limits.ts';
import type { SqlStatement } from '../../kit/platform/database.ts';
import { ENVIRONMENTS, type Environment } from '../../kit/tenant.ts';
import { offerMethod, setCommission } from './methods.ts';

export interface NewMerchant {
  readonly id: string;
  readonly name: string;
  /** Priced in both environments, and offered and enabled in the sandbox. */
  readonly methods: readonly { readonly method: Method; readonly rate: CommissionRate }[];
  /** Those of them that are offered and enabled in production; all when absent. */
  readonly productionMethods?: readonly Method[];
  readonly createdAtMs: number;
}

/**
 * Creates a merchant and its methods. Run the list in one batch, so that it succeeds as a whole.
 * Fails in D1 when the id exists.
 */
export function createMerchant(merchant: NewMerchant): readonly SqlStatement[] {
  const { id, name, methods, productionMethods, createdAtMs } = merchant;
  const isOffered = (environment: Environment, method: Method) =>
    environment === 'sandbox' || productionMethods?.includes(method) !== false;
  return [
    {
      sql: `INSERT INTO merchants (id, number, name, status, created_at_ms, refund_daily_max_minor)
        SELECT ?1, COALESCE(MAX(number), 0) + 1, ?2, 'active', ?3, ?4 FROM merchants`,
      params: [id, name, createdAtMs, REFUND_DAILY_MAX_MINOR_DEFAULT],
    },
    ...ENVIRONMENTS.flatMap((environment) =>
      methods.flatMap(({ method, rate }) => [
        setCommission({ merchantId: id, environment }, method, rate),
        ...(isOffered(environment, method)
          ? [offerMethod({ merchantId: id, environment }, method, true)]
          : []),
      ]),
    ),
  ];
}
