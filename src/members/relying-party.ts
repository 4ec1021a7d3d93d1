import type { PublicCall } from '../dashboard/call.ts';

/** What passkeys are bound to: made here, they work nowhere else. */
export interface RelyingParty {
  /** The host name of the dashboard. */
  readonly id: string;
  /** The only origin whose pages may ask for them. */
  readonly origin: string;
}

export function relyingPartyOf({ config, url }: Pick<PublicCall, 'config' | 'url'>): RelyingParty {
  const origin = config.publicBaseUrl ?? url.origin;
  return { id: new URL(origin).hostname, origin };
}
