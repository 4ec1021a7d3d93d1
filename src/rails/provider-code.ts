import { printableCode } from '../domain/provider-code.ts';

/** Adds the provider's own code or state to an outcome or a start result, if it is printable. */
export function withProviderCode<const Result extends { readonly type: string }>(
  result: Result,
  providerCode: string | null,
): Result & { readonly providerCode?: string } {
  const printable = printableCode(providerCode);
  return printable === null ? result : { ...result, providerCode: printable };
}
