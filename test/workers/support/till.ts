import { type SignedIn, submit, visit } from '../dashboard/support.ts';
import { chooseMethod, simulate } from './customer.ts';

/** Sales at a till, by its pages. */

export const TILL = '/dashboard/sandbox/till';

export function sell(
  till: SignedIn,
  amount = '250',
  fields: Readonly<Record<string, string>> = {},
) {
  return submit(till, TILL, { nonce: crypto.randomUUID(), amount, note: '', ...fields });
}

/** A new sale; the path of its page. */
export async function sale(
  till: SignedIn,
  amount?: string,
  fields?: Readonly<Record<string, string>>,
): Promise<string> {
  const { status, headers } = await sell(till, amount, fields);
  if (status !== 303) {
    throw new Error(`not sold: ${status}`);
  }
  return headers.get('location') ?? '';
}

export function idOf(path: string): string {
  return path.slice(`${TILL}/`.length);
}

export async function textOf(till: SignedIn, path: string): Promise<string> {
  return (await visit(till, path)).text();
}

export async function checkoutUrlOf(till: SignedIn, path: string): Promise<string> {
  return /value="(https:[^"]*\/checkout\/[^"]+)"/.exec(await textOf(till, path))?.[1] ?? '';
}

export async function pay(till: SignedIn, path: string): Promise<void> {
  await simulate(await chooseMethod(await checkoutUrlOf(till, path)), 'approve');
}
