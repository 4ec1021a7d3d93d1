import { hexFromBytes } from '../crypto/encoding.ts';

/** Never guessed, and never drawn twice. */
const ID_BYTES = 16;

/** The name of a new thing on pages, in forms and in the audit log. No secret. */
export function newId(prefix: 'mem' | 'inv' | 'ses'): string {
  return `${prefix}_${hexFromBytes(crypto.getRandomValues(new Uint8Array(ID_BYTES)))}`;
}
