import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { jsonObject } from '../../src/engine/rails/members.ts';

/**
 * CBE's side of the cryptography, by OpenSSL. It shares no code with the adapter, so that each
 * checks the other.
 */

export interface Credentials {
  readonly user: string;
  readonly password: string;
  readonly tillCode: string;
  readonly secret: string;
}

/** Kefel's two formats of transaction ids. */
export const TRANSACTION_ID = /^(?:[A-Z2-7]{79}|[0-9A-HJKMNP-TV-Z]{20})$/;
/** Not "500.00", "500.50" or "0500". */
const AMOUNT = /^(?!0$)(?:0|[1-9]\d*)(?:\.\d?[1-9])?$/;

/** The order in `r`; null unless complete, well-formed and hashed with these credentials. */
export function openedOrder(
  { secret, user, password, tillCode }: Credentials,
  r: string,
): { readonly orderId: string; readonly amountText: string } | null {
  const outer = opened(secret, r);
  const fields = outer === null ? null : jsonObject(outer);
  if (fields === null || Object.keys(fields).sort().join() !== 'A,HV,MC,T,U,W') {
    return null;
  }
  const field = (name: string) => {
    const value = fields[name];
    return typeof value === 'string' ? opened(secret, value) : null;
  };
  const [amountText, orderId] = [field('A') ?? '', field('T') ?? ''];
  const hashInput = `A=${amountText}&Key=${secret}&MC=${tillCode}&T=${orderId}&U=${user}&W=${password}`;
  const isOurs =
    field('U') === user &&
    field('W') === password &&
    field('MC') === tillCode &&
    field('HV') === sha256(hashInput);
  return isOurs && AMOUNT.test(amountText) && TRANSACTION_ID.test(orderId)
    ? { orderId, amountText }
    : null;
}

/** Decrypts `sealed`; null unless it is base64 of whole blocks with valid padding. */
export function opened(secret: string, sealed: string): string | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(sealed)) {
    return null;
  }
  try {
    const decipher = createDecipheriv('des-ede3-ecb', withFirstKeyAgain(md5(secret)), null);
    const bytes = Buffer.concat([decipher.update(sealed, 'base64'), decipher.final()]);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

export function sealed(secret: string, text: string): string {
  return sealedByKey(md5(secret), Buffer.from(text)).toString('base64');
}

/** `key`: K1 and K2. */
export function sealedByKey(key: Buffer, bytes: Buffer): Buffer {
  const cipher = createCipheriv('des-ede3-ecb', withFirstKeyAgain(key), null);
  return Buffer.concat([cipher.update(bytes), cipher.final()]);
}

export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** What CBE reports in a callback. */
export interface CallbackFields {
  readonly transactionId: string;
  readonly state: string;
  readonly date: string;
  /** The date in the hash input; `date` by default. */
  readonly hashedDate?: string;
}

/** `EncVal` of a callback, hashed and encrypted with `secret`. */
export function sealedCallback(
  secret: string,
  { transactionId, state, date, hashedDate = date }: CallbackFields,
): string {
  const Signiture = sha256(
    `key=${secret}&state=${state}&TNDDate=${hashedDate}&transactionId=${transactionId}`,
  );
  const plain = { TransactionId: transactionId, State: state, TNDDate: date, Signiture };
  return sealed(secret, JSON.stringify(plain));
}

/** What CBE answers to a status query. */
export interface StatusFields extends CallbackFields {
  readonly tillCode: string;
}

/** `EncryptedResponseValue` of a status answer, hashed and encrypted with `secret`. */
export function sealedStatus(
  secret: string,
  { transactionId, state, date, hashedDate = date, tillCode }: StatusFields,
): string {
  const Signiture = sha256(
    `Key=${secret}&State=${state}&TNDDate=${hashedDate}&Tillcode=${tillCode}&TransactionId=${transactionId}`,
  );
  return sealed(
    secret,
    JSON.stringify({
      Tillcode: tillCode,
      TransactionId: transactionId,
      State: state,
      TNDDate: date,
      Signiture,
    }),
  );
}

function md5(text: string): Buffer {
  return createHash('md5').update(text, 'utf8').digest();
}

/** The three keys that OpenSSL expects: K1 K2 K1. */
function withFirstKeyAgain(key: Buffer): Buffer {
  return Buffer.concat([key, key.subarray(0, 8)]);
}
