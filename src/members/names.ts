import { NAME_LENGTH_MAX } from './invitations.ts';

/**
 * Would be invisible, or turn the text round the name about: names stand in the audit log, which must
 * read as it was written.
 */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

/** The name of a person or of a passkey as somebody wrote it, or null when it cannot be one. */
export function nameFrom(text: string): string | null {
  const name = text.trim();
  const fits = name !== '' && name.length <= NAME_LENGTH_MAX && !UNPRINTABLE.test(name);
  return fits ? name : null;
}
