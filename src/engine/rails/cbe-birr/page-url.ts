import { majorText } from '../../../kit/money.ts';
import { hashOf, type Seal } from './seal.ts';
import type { CbeBirrSettings } from './settings.ts';

/**
 * CBE's page for one order, with the whole order encrypted in the URL. The same order gives the
 * same URL, without a call to CBE.
 */
export async function pageUrlOf(
  settings: CbeBirrSettings,
  seal: Seal,
  transactionId: string,
  amountMinor: number,
): Promise<string> {
  const amount = plainAmount(amountMinor);
  const { user, password, tillCode, secret } = settings;
  const fields = { MC: tillCode, T: transactionId, U: user, W: password };
  const HV = await hashOf({ A: amount, Key: secret, ...fields });
  const sealed = Object.entries({ A: amount, ...fields, HV }).map(([name, value]) => [
    name,
    seal.seal(value),
  ]);
  const sealedFields = JSON.stringify(Object.fromEntries(sealed));
  return `${settings.baseUrl}/Default.aspx?r=${encodeURIComponent(seal.seal(sealedFields))}`;
}

/**
 * The shortest decimal text: `50000` is "500", `50050` is "500.5". CBE's examples show only whole
 * amounts ("500"). If CBE parses the amount and prints it again for the hash, any number type
 * prints the shortest form.
 */
export function plainAmount(amountMinor: number): string {
  return majorText(amountMinor).replace(/\.?0{1,2}$/, '');
}
