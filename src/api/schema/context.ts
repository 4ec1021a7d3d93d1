import type { Currency, Environment, Method } from '../../domain/method.ts';
import type { CommissionRate } from '../../domain/money.ts';

/** Everything that decides whether a body is valid and is not in the body. */
export interface ValidationContext {
  readonly environment: Environment;
  /** Enabled for this merchant in this environment, with rails considered. */
  readonly methods: readonly { readonly method: Method; readonly rate: CommissionRate }[];
  /** What the method's rail takes; asked in production only (docs/decisions.md#13). */
  readonly railCurrencies: (method: Method) => readonly Currency[];
  /** Whether the method's rail can have an account for a number, 251XXXXXXXXX; any in the sandbox. */
  readonly acceptsPhone: (method: Method, phone: string) => boolean;
  /** The merchant's own largest total by currency, in minor units; none where it is missing. */
  readonly limits: Readonly<Partial<Record<Currency, number>>>;
  /** By bank code. */
  readonly banks: ReadonlyMap<string, { readonly supportsWithdrawal: boolean }>;
  readonly expireInSecondsMin: number;
  readonly expireInSecondsMax: number;
}

/** A value, or at least one error by path, spelt as the merchant wrote it: `items[0].price`. */
export type Validated<T> = { ok: true; value: T } | { ok: false; errors: Record<string, string> };
