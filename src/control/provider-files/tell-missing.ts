import { tellAlerts } from '../../engine/alerts/client.ts';
import type { Standing } from '../../engine/alerts/standing.ts';
import type { Method } from '../../engine/domain/method.ts';
import { businessDayStartMs } from '../../kit/ethiopian-time.ts';
import type { Tenant } from '../../kit/tenant.ts';
import type { OutcomeSum } from './line-table.ts';

/** Tells the operator's alerts of money that providers' files lack (docs/night.md#provider_money_missing). */

/** Of a currency, in minor units. Less may be a payment just before midnight, in the next day's file. */
const MISSING_MINOR_MIN = 100_000;

/** Never throws. The object tells them again daily, so a lost report does no harm. */
export async function tellMissing(
  env: Env,
  { environment, method }: Pick<Tenant, 'environment'> & { readonly method: Method },
  sums: readonly OutcomeSum[],
): Promise<void> {
  if (environment === 'production') {
    await tellAlerts(env, (alerts) => alerts.stand(`files/${method}`, standingsOf(method, sums)));
  }
}

function standingsOf(method: Method, sums: readonly OutcomeSum[]): readonly Standing[] {
  const missing = sums.filter(({ outcome, isDecided }) => outcome === 'missing' && !isDecided);
  const byCurrency = Map.groupBy(missing, ({ currency }) => currency);
  const much = [...byCurrency.values()]
    .filter((own) => total(own, 'amountMinor') >= MISSING_MINOR_MIN)
    .flat();
  return much.length === 0
    ? []
    : [
        {
          subject: 'provider_money_missing',
          count: total(much, 'lines'),
          sinceAtMs: businessDayStartMs(Math.min(...much.map(({ day }) => day))),
          detail: method,
        },
      ];
}

function total(sums: readonly OutcomeSum[], part: 'amountMinor' | 'lines'): number {
  return sums.reduce((sum, one) => sum + one[part], 0);
}
