import type { StandIn } from '../../scripts/stand-ins/stand-in.ts';

/** An amount in the format of the rail's calls. */
export function wireAmount({ railId }: StandIn, amountMinor: number): string {
  const amount = amountMinor / 100;
  switch (railId) {
    case 'cbe-birr':
    case 'stk-push':
      // The shortest text of the number.
      return String(amount);
    case 'ethswitch-cards':
      return String(amountMinor);
    default:
      return amount.toFixed(2);
  }
}
