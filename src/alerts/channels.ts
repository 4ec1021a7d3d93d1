import type { Notice } from './notice.ts';

/** The ways in which notices leave. */
export const CHANNEL_NAMES = ['telegram', 'webhook', 'email'] as const;
export type ChannelName = (typeof CHANNEL_NAMES)[number];

/** `refused`: the configuration is wrong, and a repetition would be refused, too. */
export type Sent =
  | { readonly type: 'sent' }
  | { readonly type: 'failed'; readonly error: string; readonly retryAfterMs: number | null }
  | { readonly type: 'refused'; readonly error: string };

export interface Channel {
  readonly name: ChannelName;
  /** Never throws. The error has no secret. */
  send(notice: Notice): Promise<Sent>;
}

/** The channels that the operator has set up. A malformed one refuses each notice. */
export function channelsOf(_env: Env): readonly Channel[] {
  return [];
}

/** Calls the address whose silence tells an outside monitor that the alerts are dead. Never throws. */
export async function beat(_env: Env): Promise<Sent | null> {
  return null;
}
