import { base32FromBytes, hexFromBytes, sha256Hex, utf8 } from '../../kit/crypto/encoding.ts';
import type { KeyRing, NamedKey } from '../../kit/crypto/key-ring.ts';
import { signText, verifyText } from '../../kit/crypto/signed-bytes.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { SLOW_WAIT_MS } from './openings.ts';

/**
 * The token in a link's form. Its nonce names the payment: a form that is sent twice finds the first
 * one. It is checked before anything is reached, and lets a program send nothing that no page offered.
 */
export interface FormToken {
  /** The link's code: the form of one link does not work for another. */
  readonly code: string;
  readonly nonce: string;
  /** The version of the link that the customer saw. */
  readonly version: number;
  readonly issuedAtMs: number;
  /** The digest of the choice for which the visitor waits; null: of any. */
  readonly waitsFor: string | null;
}

/** A page that lies open longer shows the link again before anything is paid. */
const AGE_MS_MAX = 24 * 60 * 60 * 1_000;
const NONCE_BYTES = 16;

export function newFormToken(
  keys: KeyRing,
  link: Pick<FormToken, 'code' | 'version'>,
  nowMs: number,
  waitsFor: string | null,
): Promise<string> {
  const nonce = hexFromBytes(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
  const { code, version } = link;
  const token: FormToken = { code, nonce, version, issuedAtMs: nowMs, waitsFor };
  return signText(keys, 'form/link', JSON.stringify(token));
}

/** The token, or null for one that we did not sign for this link, or that is too old. */
export async function readFormToken(
  keys: readonly NamedKey[],
  code: string,
  text: string,
  nowMs: number,
): Promise<FormToken | null> {
  const signed = await verifyText(keys, 'form/link', text);
  const token: FormToken | null = signed === null ? null : JSON.parse(signed);
  return token?.code === code && nowMs - token.issuedAtMs < AGE_MS_MAX ? token : null;
}

/** Whether the visitor has waited with this choice. Another choice waits again. */
export function hasWaited(token: FormToken, choiceDigest: string, nowMs: number): boolean {
  return token.waitsFor === choiceDigest && nowMs - token.issuedAtMs >= SLOW_WAIT_MS;
}

/** 80 bits: without the form, the payment cannot be named. */
const ID_BYTES = 10;
export const LINK_PAYMENT_ID = /^LINK-[A-Z2-7]{16}$/;

/** The payment of a form with a choice: the same for the same form. Another choice is another one. */
export async function paymentIdOf(
  { environment, merchantId }: Tenant,
  { code, nonce }: FormToken,
  choiceDigest: string,
): Promise<string> {
  const named = ['link-payment', environment, merchantId, code, nonce, choiceDigest].join('/');
  const digest = await crypto.subtle.digest('SHA-256', utf8(named));
  return `LINK-${base32FromBytes(new Uint8Array(digest).subarray(0, ID_BYTES))}`;
}

/** The claim under which the payment's object stores its answer (docs/decisions.md#8). */
export async function claimOf(paymentId: string, choiceDigest: string) {
  return {
    keyDigest: await sha256Hex(`payment_link/${paymentId}`),
    bodyDigest: `payment_link:${choiceDigest}`,
  };
}
