import { majorText } from '../../domain/money.ts';
import { hashOf, type Seal } from './seal.ts';
import type { CbeBirrSettings } from './settings.ts';

/**
 * CBE's page for one order: everything it must know is sealed into the address. The same order
 * gives the same address, and nobody is called to make it.
 */
export function pageUrlOf(
  settings: CbeBirrSettings,
  seal: Seal,
  transactionId: string,
  amountMinor: number,
): string {
  const amount = plainAmount(amountMinor);
  const { user, password, tillCode, secret } = settings;
  const hash = hashOf([
    ['A', amount],
    ['Key', secret],
    ['MC', tillCode],
    ['T', transactionId],
    ['U', user],
    ['W', password],
  ]);
  const sealedFields = JSON.stringify({
    A: seal.seal(amount),
    MC: seal.seal(tillCode),
    T: seal.seal(transactionId),
    U: seal.seal(user),
    W: seal.seal(password),
    HV: seal.seal(hash),
  });
  return `${settings.baseUrl}/Default.aspx?r=${encodeURIComponent(seal.seal(sealedFields))}`;
}

/**
 * `50000` as "500", `50050` as "500.5": the shortest decimal text. CBE's examples show only whole
 * amounts ("500"); the shortest form is the one that any number type on the other side prints again
 * as it was read, so a hash computed from a parsed amount holds too.
 */
export function plainAmount(amountMinor: number): string {
  return majorText(amountMinor).replace(/\.?0{1,2}$/, '');
}
