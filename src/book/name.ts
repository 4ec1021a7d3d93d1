import type { Tenant } from '../domain/intent.ts';

/**
 * The name of a book's object. Environments and merchant ids contain no slash, so two tenants never
 * share a name.
 */
export function bookName({ environment, merchantId }: Tenant, volume: number): string {
  return `${environment}/${merchantId}/${volume}`;
}
