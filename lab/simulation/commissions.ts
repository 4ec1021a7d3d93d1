import { METHODS, type Method } from '../../src/engine/domain/method.ts';

/** The commissions that merchants agreed to, computed without Kefel's own arithmetic. */

interface Rate {
  readonly basisPoints: number;
  readonly fixedMinor: number;
}

/** Each method has its own commission, so that another method's is a visible mistake. */
export function rateOf(method: Method): Rate {
  const place = METHODS.indexOf(method);
  return { basisPoints: 250 + 35 * place, fixedMinor: 3 * place };
}

/** Half up, to the cent. */
export function commissionOf(amountMinor: number, method: Method): number {
  const { basisPoints, fixedMinor } = rateOf(method);
  return Math.floor((amountMinor * basisPoints + 5_000) / 10_000) + fixedMinor;
}
