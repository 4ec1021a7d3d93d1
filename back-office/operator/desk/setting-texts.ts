import type { RailState } from '../../../src/control/rpc/operations.ts';
import type { CommissionRate } from '../../../src/engine/domain/money.ts';
import { majorText } from '../../../src/kit/money.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DESK_TEXTS } from '../../i18n/texts.ts';

/** Settings of methods as the desk shows them. */

export function commissionText({ basisPoints, fixedMinor }: CommissionRate): string {
  return `${majorText(basisPoints)}%${fixedMinor === 0 ? '' : ` + ${majorText(fixedMinor)}`}`;
}

/** Whether the rail has a secret. The sandbox simulates a rail that has none. */
export function useRailText({ state, environment }: RailState): string {
  const { simulated, railStates } = useTexts(DESK_TEXTS).pages;
  return state === 'not_configured' && environment === 'sandbox' ? simulated : railStates[state];
}
