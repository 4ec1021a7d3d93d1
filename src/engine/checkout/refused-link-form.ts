import { seal, unseal } from '../../kit/crypto/sealed.ts';
import { configOf } from '../config.ts';
import type { FieldProblems } from '../links/choice.ts';

/** Why a whole form came back. */
export type LinkNotice = 'old' | 'changed' | 'wait' | 'full' | 'unavailable';

/** What the page of a link needs after a form that made no payment. */
export interface RefusedLinkForm {
  readonly typed: Readonly<Record<string, string>>;
  readonly problems: FieldProblems;
  readonly notice: LinkNotice | null;
  /** The digest of the choice that may be sent again after a wait. */
  readonly waitsFor?: string | null;
}

/**
 * The form for the page's URL. Encrypted, because URLs end up in histories and the form may hold a name
 * and a phone number. It works without cookies, and for each tab alone.
 */
export function sealedLinkForm(env: Env, code: string, form: RefusedLinkForm): Promise<string> {
  return seal(configOf(env).dataEncryptionKeys, JSON.stringify(form), contextOf(code));
}

/** The form, or null if we did not seal it for this link. */
export async function refusedLinkFormFrom(
  env: Env,
  code: string,
  sealed: string | null,
): Promise<RefusedLinkForm | null> {
  const keys = configOf(env).dataEncryptionKeys;
  const text = sealed === null ? null : await unseal(keys, sealed, contextOf(code));
  return text === null ? null : (JSON.parse(text) as RefusedLinkForm);
}

function contextOf(code: string): string {
  return `refused-link-form/${code}`;
}
