import type { Environment } from '../../src/kit/tenant.ts';

/** The query of these fields, without the empty ones. */
export function queryFrom(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(Object.entries(fields).filter(([, text]) => text !== '')).toString();
}

export function overviewPath(environment: Environment, query = ''): string {
  return `/dashboard/${environment}/overview${query === '' ? '' : `?${query}`}`;
}

/** The overview's statement as a CSV file. */
export function statementPath(environment: Environment, query: string): string {
  return `/dashboard/${environment}/overview.csv?${query}`;
}

/** The form that dismisses the overview's notice of new access. */
export function accessSeenPath(environment: Environment): string {
  return `${overviewPath(environment)}/access-seen`;
}

/** The list of payments; `query` comes without its question mark. */
export function paymentsPath(environment: Environment, query = ''): string {
  return `/dashboard/${environment}/payments${query === '' ? '' : `?${query}`}`;
}

/** The list of payments as a CSV file. */
export function exportPath(environment: Environment, query: string): string {
  return `/dashboard/${environment}/payments.csv${query === '' ? '' : `?${query}`}`;
}

/** "Did this customer pay?"; `query` comes without its question mark. */
export function didPayPath(environment: Environment, query = ''): string {
  return `/dashboard/${environment}/did-pay${query === '' ? '' : `?${query}`}`;
}

/** One payment, by the merchant's own id; `rest` is a form on its page. */
export function paymentPath(environment: Environment, uniqueId: string, rest = ''): string {
  return `${paymentsPath(environment)}/${encodeURIComponent(uniqueId)}${rest}`;
}

/** The list of refunds. */
export function refundsPath(
  environment: Environment,
  fields: Readonly<Record<string, string>> = {},
): string {
  const query = queryFrom(fields);
  return `/dashboard/${environment}/refunds${query === '' ? '' : `?${query}`}`;
}

/** The form that refunds a transaction of the payment; without one, what paid it. */
export function refundPath(
  call: { readonly environment: Environment; readonly url: URL },
  uniqueId: string,
  transactionId = '',
): string {
  const query = queryFrom({ transactionId, [LIST_PARAMETER]: listIn(call.url) });
  const path = paymentPath(call.environment, uniqueId, '/refund');
  return query === '' ? path : `${path}?${query}`;
}

/** The query parameter in which a page keeps the query of the list that leads to it. */
const LIST_PARAMETER = 'list';
/** Longer than a list's filters; bounds what links repeat. */
const LIST_LENGTH_MAX = 1_000;

/** A page's URL that remembers the query of its list. */
export function withList(path: string, list: string): string {
  return list === '' ? path : `${path}?${new URLSearchParams({ [LIST_PARAMETER]: list })}`;
}

/** The query of the list that led to the page, or an empty one. */
export function listIn(url: URL): string {
  const list = url.searchParams.get(LIST_PARAMETER) ?? '';
  return list.length > LIST_LENGTH_MAX ? '' : new URLSearchParams(list).toString();
}

export function webhooksPath(environment: Environment, rest = ''): string {
  return `/dashboard/${environment}/webhooks${rest}`;
}

/** A webhook endpoint's page, or `new`; `rest` is a form on it. */
export function endpointPath(environment: Environment, endpointId: string, rest = ''): string {
  return webhooksPath(environment, `/endpoints/${encodeURIComponent(endpointId)}${rest}`);
}

/** An event's page; with `/resend` the form on it. */
export function eventPath(
  environment: Environment,
  event: { readonly uniqueId: string; readonly sequence: number },
  rest = '',
): string {
  const id = encodeURIComponent(event.uniqueId);
  return webhooksPath(environment, `/events/${id}/${event.sequence}${rest}`);
}

/** The payment links, or one by its code; `rest` is a form on its page. */
export function linksPath(environment: Environment, rest = ''): string {
  return `/dashboard/${environment}/links${rest}`;
}

/** The till, or a sale by its payment's id; `rest` is a form on its page. */
export function tillPath(environment: Environment, rest = ''): string {
  return `/dashboard/${environment}/till${rest}`;
}

/** The people who are told of payments; `rest` is a form or a connection. */
export function notificationsPath(environment: Environment, rest = ''): string {
  return `/dashboard/${environment}/notifications${rest}`;
}

export function methodsPath(environment: Environment, rest = ''): string {
  return `/dashboard/${environment}/methods${rest}`;
}

export function keysPath(environment: Environment, rest = ''): string {
  return `/dashboard/${environment}/keys${rest}`;
}

export function requestsPath(environment: Environment): string {
  return `/dashboard/${environment}/requests`;
}

export const BRANDING_PATH = '/dashboard/branding';
export const TEAM_PATH = '/dashboard/team';
export const ACCOUNT_PATH = '/dashboard/account';
export const AUDIT_PATH = '/dashboard/audit';

/** One member; `rest` is a form on the page. */
export function memberPath(id: string, rest = ''): string {
  return `${TEAM_PATH}/members/${id}${rest}`;
}
