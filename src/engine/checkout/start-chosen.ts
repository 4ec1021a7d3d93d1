import type { Form } from '../../kit/http/form.ts';
import { notWorkingSinceMs, refreshOutages } from '../attempts/method-outages.ts';
import { type RunResult, runAttempt } from '../attempts/start.ts';
import type { Intent } from '../domain/intent.ts';
import type { IntentClient } from '../intent/client.ts';
import { switchedOffMethods } from '../merchants/switched-off.ts';
import { acceptsPhone, railFor } from '../rails/registry.ts';
import { mayPrompt, readChoice } from './choice.ts';
import type { RefusedForm, ViewContext } from './view.ts';

/** Which methods work, and the start of an attempt by a chosen one: for a customer, or at a till. */

interface PaymentCall {
  readonly env: Env;
  readonly ctx: Pick<ExecutionContext, 'waitUntil'>;
  readonly client: IntentClient;
  readonly intent: Intent;
}

/**
 * The methods that are switched off, and those that do not work now. The page does not wait for newer
 * knowledge of these: the next one has it.
 */
export async function methodsNow({
  env,
  ctx,
  intent: { terms },
}: Omit<PaymentCall, 'client'>): Promise<Pick<ViewContext, 'switchedOff' | 'down'>> {
  const nowMs = Date.now();
  ctx.waitUntil(refreshOutages(env, terms.environment, nowMs));
  return {
    switchedOff: await switchedOffMethods(env, terms.environment, nowMs),
    down: terms.methods
      .map(({ method }) => method)
      .filter((method) => notWorkingSinceMs(terms, method, nowMs) !== null),
  };
}

/** Starts the attempt that a form chooses, if the payment has as many attempts as its page showed. */
export async function startChosen(
  { env, ctx, client, intent: { terms } }: PaymentCall,
  form: Pick<Form, 'get'>,
  expectedAttempts: number,
): Promise<RunResult | { readonly type: 'refused'; readonly form: RefusedForm }> {
  const result = readChoice(terms, form, (method, phone) =>
    acceptsPhone(env, terms, method, phone),
  );
  if (result.type === 'refused') {
    return result;
  }
  const { choice } = result;
  const refuse = (problem: RefusedForm['problem']) => ({
    type: 'refused' as const,
    form: { method: choice.method, phone: form.get('phone') ?? '', problem },
  });
  const rail = railFor(env, terms, choice.method);
  const off = await switchedOffMethods(env, terms.environment, Date.now());
  if (rail === null || off.some(({ method }) => method === choice.method)) {
    return refuse('method_unavailable');
  }
  if (!(await mayPrompt(env, terms.environment, choice))) {
    return refuse('too_many_prompts');
  }
  const running = runAttempt(env, client, terms, { ...choice, expectedAttempts }, rail);
  // A second click cancels the first request, but an attempt that has started must be completed.
  ctx.waitUntil(running.catch(() => undefined));
  return running;
}
