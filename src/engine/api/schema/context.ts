import type { FieldErrors } from '../../../kit/http/field-error.ts';
import type { Currency } from '../../../kit/money.ts';
import type { Environment, Tenant } from '../../../kit/tenant.ts';
import type { Method } from '../../domain/method.ts';
import type { CommissionRate } from '../../domain/money.ts';
import type { IntentTerms } from '../../domain/terms.ts';
import type { RailRules } from '../../rails/rail.ts';

export interface OfferedMethod {
  readonly method: Method;
  readonly rate: CommissionRate;
  /**
   * What the method takes in production. The sandbox takes everything, and warns of what production
   * would refuse (docs/decisions.md#22).
   */
  readonly rules: RailRules;
}

/**
 * What the gateway does with a callbackUrl: sends webhooks there, takes it but sends them to the
 * endpoints (docs/decisions.md#19), or refuses the payment for this reason.
 */
export type CallbackUse = 'sends' | 'ignores' | { readonly refusal: string };

/** What validation needs besides the body. */
export interface ValidationContext {
  readonly environment: Environment;
  /** Enabled for this merchant in this environment, and served by a rail. */
  readonly methods: readonly OfferedMethod[];
  /** Switched off by the operator for now. */
  readonly switchedOff: readonly Method[];
  /** The merchant's largest total by currency, in minor units. Absent: no limit. */
  readonly limits: Readonly<Partial<Record<Currency, number>>>;
  /** Schemes of the merchant's apps, which a returnUrl may have: `myshop`. */
  readonly appSchemes: readonly string[];
  /** The banks by their codes. */
  readonly banks: ReadonlyMap<string, { readonly supportsWithdrawal: boolean }>;
  readonly callbackUse: (callbackUrl: string) => CallbackUse;
  readonly expireInSecondsMin: number;
  readonly expireInSecondsMax: number;
}

/** A value, or at least one error by the field's path in the body: `items[0].price`. */
export type Validated<T> = (
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: FieldErrors }
) & {
  /** What the merchant should know, in sentences that begin with a field's path. */
  readonly warnings: readonly string[];
};

/** A valid request body: the part of an intent's terms that the merchant decides. */
export type PaymentOrder = Omit<
  IntentTerms,
  | keyof Tenant
  | 'merchantName'
  | 'merchantNumber'
  | 'branding'
  | 'business'
  | 'uuid'
  | 'number'
  | 'bookVolume'
  | 'baseUrl'
  | 'createdAtMs'
  | 'expiresAtMs'
> & {
  /** Lifetime, within the bounds of the configuration. */
  readonly expireInSeconds: number;
  /** Express: the phone to charge, as 251XXXXXXXXX. Null without a usable number, and for hosted. */
  readonly phone: string | null;
};
