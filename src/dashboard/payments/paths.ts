import type { Environment } from '../../domain/method.ts';

/** Of the list; `query` without its question mark. */
export function paymentsPath(environment: Environment, query = ''): string {
  return `/dashboard/${environment}/payments${query === '' ? '' : `?${query}`}`;
}

/** Of the list as a file. */
export function exportPath(environment: Environment, query: string): string {
  return `/dashboard/${environment}/payments.csv${query === '' ? '' : `?${query}`}`;
}

/** Of one payment, by the merchant's own id. */
export function paymentPath(environment: Environment, uniqueId: string): string {
  return `/dashboard/${environment}/payments/${encodeURIComponent(uniqueId)}`;
}
