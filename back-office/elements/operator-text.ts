import type { NameProof } from '../../src/kit/name-proof.ts';
import { useTexts } from '../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../i18n/texts.ts';
import { shownText } from '../ui/untrusted-text.ts';

/**
 * An operator's name, and whether it is proved, and where known by what: those who share a secret can
 * claim any name.
 */
export function useOperatorText(operator: string, isProved: boolean, provedBy?: NameProof): string {
  const { nameProved, nameProvedBy, nameClaimed } = useTexts(DASHBOARD_TEXTS).payment;
  const proved = provedBy === undefined ? nameProved : nameProvedBy[provedBy];
  return shownText(isProved ? proved(operator) : nameClaimed(operator));
}
