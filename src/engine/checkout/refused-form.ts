import { seal, unseal } from '../../kit/crypto/sealed.ts';
import { configOf } from '../config.ts';
import type { Intent } from '../domain/intent.ts';
import type { RefusedForm } from './view.ts';

/** Query of the page after a refused form. */
export const FORM_PARAMETER = 'form';

/** As long as the field allows; bounds the URL. */
const PHONE_LENGTH_MAX = 40;

/**
 * What the page that follows a refused form needs, for its URL. Encrypted, because URLs end up in
 * histories and the form holds a phone number. It works without cookies, and for each tab alone.
 */
export function sealedForm(env: Env, intent: Intent, form: RefusedForm): Promise<string> {
  const kept = { ...form, phone: form.phone.slice(0, PHONE_LENGTH_MAX) };
  return seal(configOf(env).dataEncryptionKeys, JSON.stringify(kept), contextOf(intent));
}

/** The form, or null if we did not seal it for this payment, or after another attempt. */
export async function refusedFormFrom(
  env: Env,
  intent: Intent,
  sealed: string | null,
): Promise<RefusedForm | null> {
  if (sealed === null) {
    return null;
  }
  const text = await unseal(configOf(env).dataEncryptionKeys, sealed, contextOf(intent));
  return text === null ? null : (JSON.parse(text) as RefusedForm);
}

/** Names the attempts made, because what a form before another attempt says is outdated. */
function contextOf({ terms, attempts }: Intent): string {
  return `refused-form/${terms.uuid}/${attempts.length}`;
}
