import { expect } from 'vitest';
import { type Body, call, createHosted, ORIGIN } from './api.ts';

export function pathOf(url: string): string {
  const { pathname, search } = new URL(url, ORIGIN);
  return pathname + search;
}

/** Posts a form of our pages. */
export function postForm(
  path: string,
  fields: Record<string, string>,
  { contentType = 'application/x-www-form-urlencoded', ...headers }: Record<string, string> = {},
  bindings?: Env,
): Promise<Response> {
  const body = new URLSearchParams(fields).toString();
  const form = { method: 'POST', apiKey: null, body, contentType, headers };
  return call(path, bindings === undefined ? form : { ...form, bindings });
}

/**
 * Chooses telebirr on a checkout page that knew of `attempts` attempts. Returns the token of the
 * simulator's page.
 */
export async function chooseMethod(
  checkoutUrl: string,
  { attempts }: { readonly attempts: number } = { attempts: 0 },
): Promise<string> {
  const choice = { method: 'TELE_BIRR', attempts: String(attempts) };
  const response = await postForm(`${pathOf(checkoutUrl)}/attempts`, choice);
  await response.body?.cancel();
  const location = response.headers.get('location');
  const [, token = ''] = /\/simulator\/([^/]+)$/.exec(location ?? '') ?? [];
  expect(token, `choosing a method led to ${response.status} ${location}`).not.toBe('');
  return token;
}

/** Presses a button on the simulator's page. Returns the redirect. */
export async function simulate(
  attemptToken: string,
  outcome: 'approve' | 'decline' | 'give_up',
): Promise<string> {
  const response = await postForm(`/rails/simulator/${attemptToken}`, { outcome });
  await response.body?.cancel();
  const location = response.headers.get('location');
  if (location === null) {
    throw new Error(`the simulator answered ${response.status}`);
  }
  return location;
}

/** A hosted payment that is paid at once, by the pages. */
export async function payHosted(changes: Body = {}): Promise<void> {
  await simulate(await chooseMethod(await createHosted(changes)), 'approve');
}
