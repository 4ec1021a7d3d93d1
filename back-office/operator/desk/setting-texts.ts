import type { CommissionRate } from '../../../src/engine/domain/money.ts';
import { majorText } from '../../../src/kit/money.ts';

/** Settings of methods as the desk shows them. */

export function commissionText({ basisPoints, fixedMinor }: CommissionRate): string {
  return `${majorText(basisPoints)}%${fixedMinor === 0 ? '' : ` + ${majorText(fixedMinor)}`}`;
}
