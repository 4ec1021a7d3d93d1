import { sha256Hex } from '../../kit/crypto/encoding.ts';
import type { Form } from '../../kit/http/form.ts';
import { isWithinLimit } from '../../kit/http/rate-limit.ts';
import type { Environment } from '../../kit/tenant.ts';
import { configOf } from '../config.ts';
import { type Method, TRAITS } from '../domain/method.ts';
import { phoneFrom } from '../domain/phone.ts';
import type { IntentTerms } from '../domain/terms.ts';
import { fixedPhone, type RefusedForm } from './view.ts';

/** What the customer chose on the first page. */
export interface Choice {
  readonly method: Method;
  /** 251XXXXXXXXX, or null when the method needs none. */
  readonly phone: string | null;
}

export type ChoiceResult =
  | { readonly type: 'chosen'; readonly choice: Choice }
  | { readonly type: 'refused'; readonly form: RefusedForm };

/** The number of attempts that the form's page knew of; null for a form that is not ours. */
export function attemptsKnownTo(form: Pick<Form, 'get'>): number | null {
  const text = form.get('attempts') ?? '';
  // Only the format of the hidden field: the state machine checks the number itself.
  return /^\d{1,3}$/.test(text) ? Number(text) : null;
}

/**
 * Reads the method form. A phone number fixed by the merchant overrides the posted one.
 * `acceptsPhone`: whether a method's provider can have an account for a number.
 */
export function readChoice(
  terms: IntentTerms,
  form: Pick<Form, 'get'>,
  acceptsPhone: (method: Method, phone: string) => boolean,
): ChoiceResult {
  const wanted = form.get('method');
  const method = terms.methods.find((entry) => entry.method === wanted)?.method ?? null;
  const phoneInput = form.get('phone') ?? '';
  const refuse = (problem: RefusedForm['problem']): ChoiceResult => ({
    type: 'refused',
    form: { method, phone: phoneInput, problem },
  });
  if (method === null) {
    return refuse('method_missing');
  }
  if (TRAITS[method].confirmsOn === 'page') {
    return { type: 'chosen', choice: { method, phone: null } };
  }
  const phone = phoneFrom(fixedPhone(terms) ?? phoneInput);
  if (phone === null) {
    return refuse(phoneInput.trim() === '' ? 'phone_missing' : 'phone_invalid');
  }
  return acceptsPhone(method, phone)
    ? { type: 'chosen', choice: { method, phone } }
    : refuse('phone_not_taken');
}

/**
 * Whether this phone may get one more prompt. The call counts as a prompt. Methods without a prompt
 * have no limit. The limiter receives a digest instead of the number.
 */
export async function mayPrompt(
  env: Env,
  environment: Environment,
  { method, phone }: Choice,
): Promise<boolean> {
  if (phone === null || TRAITS[method].confirmsOn === 'page') {
    return true;
  }
  const key = await sha256Hex(`${environment}/${phone}`);
  return isWithinLimit(configOf(env), env.PHONE_PROMPT_RATE_LIMIT, key);
}
