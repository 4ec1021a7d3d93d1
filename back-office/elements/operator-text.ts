import { useTexts } from '../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../i18n/texts.ts';
import { shownText } from '../ui/untrusted-text.ts';

/** An operator's name, and whether it is proved: those who share a secret can claim any name. */
export function useOperatorText(operator: string, isProved: boolean): string {
  const { nameProved, nameClaimed } = useTexts(DASHBOARD_TEXTS).payment;
  return shownText(isProved ? nameProved(operator) : nameClaimed(operator));
}
