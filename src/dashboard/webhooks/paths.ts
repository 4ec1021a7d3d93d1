import type { Environment } from '../../domain/method.ts';
import type { DashboardCall } from '../call.ts';

export function webhooksPath(environment: Environment, rest = ''): string {
  return `/dashboard/${environment}/webhooks${rest}`;
}

/** An event's page, and with `/resend` the form on it. */
export function eventPath(
  environment: Environment,
  event: { readonly uniqueId: string; readonly sequence: number },
  rest = '',
): string {
  const id = encodeURIComponent(event.uniqueId);
  return webhooksPath(environment, `/events/${id}/${event.sequence}${rest}`);
}

/** A post's own address cannot be fetched: the page in its answer links to itself by another. */
export function atPath(call: DashboardCall, path: string): DashboardCall {
  return call.request.method === 'POST' ? { ...call, url: new URL(path, call.url) } : call;
}
