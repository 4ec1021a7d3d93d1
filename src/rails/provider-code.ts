import { printableCode } from '../domain/provider-code.ts';

/**
 * `result`, an outcome or the answer to a start, with the provider's own code or state for it, where
 * that is printable.
 */
export function withProviderCode<const Result extends { readonly type: string }>(
  result: Result,
  providerCode: string | null,
): Result & { readonly providerCode?: string } {
  const printable = printableCode(providerCode);
  return printable === null ? result : { ...result, providerCode: printable };
}
