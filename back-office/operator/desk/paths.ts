/** The pages of the desk in the navigation, in its order. */
export const PATHS = {
  attention: '/operator',
  payments: '/operator/payments',
  merchants: '/operator/merchants',
  sheet: '/operator/sheet',
  providerFiles: '/operator/provider-files',
  deadLetters: '/operator/dead-letters',
  rails: '/operator/rails',
  audit: '/operator/audit',
  health: '/operator/health',
  alerts: '/operator/alerts',
  check: '/operator/check',
} as const;

export type Item = keyof typeof PATHS;

export const SIGN_IN_PATH = '/operator/sign-in';
export const SIGN_OUT_PATH = '/operator/sign-out';

/** Not below the path of the merchants, because a merchant may have any id. */
export const ADD_MERCHANT_PATH = '/operator/add-merchant';

/** Forms about banks, which the page of the rails lists. */
export const ADD_BANK_PATH = '/operator/add-bank';
export const BANKS_PATH = '/operator/banks';

/** What identifies a payment. */
export interface PaymentName {
  readonly environment: string;
  readonly merchantId: string;
  readonly uniqueId: string;
}

export function paymentPath({ environment, merchantId, uniqueId }: PaymentName, rest = ''): string {
  return `${PATHS.payments}/${environment}/${merchantId}/${encodeURIComponent(uniqueId)}${rest}`;
}

/** The pages of one payment. */
export const PAYMENT_ROUTE = `${PATHS.payments}/:environment/:merchantId/:uniqueId` as const;

/**
 * The path has the refund's reference, because a merchant's id may be hundreds of characters long.
 */
export function refundPath(name: PaymentName, reference: string): string {
  return paymentPath(name, `/refunds/${reference}`);
}

/** The items of one group of the attention list. */
export const GROUP_ROUTE = `${PATHS.attention}/attention/:environment/:reason/:merchantId` as const;

export function groupPath(
  group: Readonly<Record<'environment' | 'reason' | 'merchantId', string>>,
): string {
  return `${PATHS.attention}/attention/${group.environment}/${group.reason}/${group.merchantId}`;
}

/** Questions about several letters. Not below the path of the letters, because of their ids. */
export const CHOSEN_LETTERS_PATH = '/operator/chosen-letters';

export function merchantPath(id: string, rest = ''): string {
  return `${PATHS.merchants}/${id}${rest}`;
}

/** The file of all payments of a merchant. */
export function exportPath(id: string, environment: string): string {
  return merchantPath(id, `/${environment}/payments.csv`);
}

/** The file of all merchants' statements. Not below their path, because a merchant may have any id. */
export const STATEMENTS_ROUTE = '/operator/statements/:environment/statements.csv';

export function statementsPath(environment: string, period: string): string {
  return `/operator/statements/${environment}/statements.csv?period=${period}`;
}

/** The file of a month's audit log. */
export const AUDIT_FILE_PATH = '/operator/audit/audit.csv';

export function letterPath(id: string, rest = ''): string {
  return `${PATHS.deadLetters}/${encodeURIComponent(id)}${rest}`;
}

/** The pages of the providers' files of one method. */
export const PROVIDER_ROUTE = `${PATHS.providerFiles}/:environment/:method` as const;

/** `query` of the lines: the days, the outcome, and whether only open ones. */
export function providerLinesPath(
  environment: string,
  method: string,
  query: Readonly<Record<string, string>>,
): string {
  return `${providerPath(environment, method)}/lines?${new URLSearchParams(query)}`;
}

export function providerPath(environment: string, method: string): string {
  return `${PATHS.providerFiles}/${environment}/${method}`;
}

/** A line of a provider's file. Its key has the characters of a receipt or a payment's id. */
export const PROVIDER_LINE_ROUTE = `${PROVIDER_ROUTE}/line/:key` as const;

export function providerLinePath(
  environment: string,
  method: string,
  key: string,
  rest = '',
): string {
  return `${providerPath(environment, method)}/line/${encodeURIComponent(key)}${rest}`;
}
