import { isPrintable } from '../domain/text.ts';
import { NAME_LENGTH_MAX } from './invitations.ts';

/** The name of a person or of a passkey as somebody wrote it, or null when it cannot be one. */
export function nameFrom(text: string): string | null {
  const name = text.trim();
  const fits = name !== '' && name.length <= NAME_LENGTH_MAX && isPrintable(name);
  return fits ? name : null;
}
