import { sha256Hex } from '../../kit/crypto/encoding.ts';
import type { Outcome } from '../domain/attempt.ts';

/** A provider's HTTP request to a callback URL, with the whole body. */
export interface CallbackCall {
  readonly method: string;
  readonly url: URL;
  /** The headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** What a callback proves. */
export type CallbackProof =
  | { readonly type: 'outcome'; readonly outcome: Outcome }
  /** Genuine, but proves nothing about the money: changes nothing, queries go on as planned. */
  | { readonly type: 'inconclusive' }
  /** Changes nothing; the operator sees why. */
  | { readonly type: 'refused'; readonly suspicion: CallbackSuspicion };

/** The same, and the reply to the provider, which is sent only after the commit. */
export type CallbackReading = CallbackProof & { readonly reply: CallbackReply };

/** Why a callback is refused. */
export type CallbackSuspicion =
  /** Not in the provider's format. */
  | 'unreadable'
  /** Its signature, encryption or hash is not valid. */
  | 'not_authentic'
  /** It names another order, merchant or request than the URL at which it arrived. */
  | 'other_order'
  | 'wrong_amount'
  /** A state whose meaning we do not know: we never guess about money. */
  | 'unknown_state'
  /** It says "paid" about an attempt with another outcome, and a status query does not confirm it. */
  | 'not_confirmed';

/** The HTTP response to the provider. */
export interface CallbackReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export function bodyText({ body }: CallbackCall): string {
  return new TextDecoder().decode(body);
}

/** Compares digests, so that the comparison's timing reveals nothing about the secret. */
export async function isSecret(given: string, secret: string): Promise<boolean> {
  return (await sha256Hex(given)) === (await sha256Hex(secret));
}

export function refusedCallback(suspicion: CallbackSuspicion, reply: CallbackReply) {
  return { type: 'refused', suspicion, reply } as const;
}

export function emptyReply(status: number): CallbackReply {
  return { status, headers: {}, body: null };
}

export function textReply(status: number, text: string): CallbackReply {
  return { status, headers: { 'content-type': 'text/plain;charset=UTF-8' }, body: text };
}

/** The provider may repeat its report after `seconds`. */
export function retryReply(status: number, text: string, seconds: number): CallbackReply {
  const reply = textReply(status, text);
  return { ...reply, headers: { ...reply.headers, 'retry-after': String(seconds) } };
}

export function jsonReply(status: number, value: unknown): CallbackReply {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  };
}
