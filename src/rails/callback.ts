import type { Outcome } from '../domain/intent.ts';

/** A provider's HTTP request to a callback address, read in full. */
export interface CallbackCall {
  readonly method: string;
  readonly url: URL;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** What a callback proves, and the reply for the provider. */
export type CallbackReading =
  | {
      readonly type: 'outcome';
      readonly outcome: Outcome;
      /** Sent only after the commit. */
      readonly reply: CallbackReply;
    }
  /** Changes nothing; the operator sees why. */
  | {
      readonly type: 'refused';
      readonly suspicion: CallbackSuspicion;
      readonly reply: CallbackReply;
    };

/** Why a callback is not acted upon. */
export type CallbackSuspicion =
  /** Not in the provider's form. */
  | 'unreadable'
  /** Its signature, decryption or hash does not hold. */
  | 'not_authentic'
  /** It names another order, merchant or request than the one whose address it came to. */
  | 'other_order'
  | 'wrong_amount'
  /** A state whose meaning we do not know: money is never guessed about. */
  | 'unknown_state'
  /** It says "paid" of an attempt that has ended otherwise, and a status query does not confirm it. */
  | 'not_confirmed';

/** The HTTP response that a provider gets. */
export interface CallbackReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export function bodyText({ body }: CallbackCall): string {
  return new TextDecoder().decode(body);
}

export function refusedCallback(
  suspicion: CallbackSuspicion,
  reply: CallbackReply,
): Extract<CallbackReading, { readonly type: 'refused' }> {
  return { type: 'refused', suspicion, reply };
}

export function emptyReply(status: number): CallbackReply {
  return { status, headers: {}, body: null };
}

export function textReply(status: number, text: string): CallbackReply {
  return { status, headers: { 'content-type': 'text/plain;charset=UTF-8' }, body: text };
}

export function jsonReply(status: number, value: unknown): CallbackReply {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  };
}
