import type { Total } from './rows.ts';

/** What a merchant is to receive: its statement and the operator's file compute it alike. Pure. */

export interface Proceeds {
  /** Without commission. */
  readonly paidMinor: number;
  /** The commission on it that the merchant bears. */
  readonly borneCommissionMinor: number;
  /** What was returned in these days, whenever the payments were paid. */
  readonly refundedMinor: number;
  /** The commission that the merchant got back with it. */
  readonly returnedCommissionMinor: number;
}

export function receivedMinor(of: Proceeds): number {
  return of.paidMinor - of.borneCommissionMinor - of.refundedMinor + of.returnedCommissionMinor;
}

export interface PaidFigures extends Proceeds {
  readonly paid: number;
  /** The commission that customers paid on top. */
  readonly customersCommissionMinor: number;
}

/** The totals of open and failed payments count for nothing. */
export function paidFigures(totals: readonly Total[]): PaidFigures {
  const paid = totals.filter(({ status }) => status === 'succeeded');
  return {
    ...proceedsOf(paid),
    paid: sum(paid, 'payments'),
    customersCommissionMinor: sum(paid, 'commissionMinor') - sum(paid, 'borneCommissionMinor'),
  };
}

function proceedsOf(paid: readonly Total[]): Proceeds {
  return {
    paidMinor: sum(paid, 'amountMinor'),
    borneCommissionMinor: sum(paid, 'borneCommissionMinor'),
    refundedMinor: sum(paid, 'refundedMinor'),
    returnedCommissionMinor: sum(paid, 'returnedCommissionMinor'),
  };
}

type Part = {
  readonly [Name in keyof Total]: Total[Name] extends number ? Name : never;
}[keyof Total];

export function sum(totals: readonly Total[], part: Part): number {
  return totals.reduce((total, one) => total + one[part], 0);
}
