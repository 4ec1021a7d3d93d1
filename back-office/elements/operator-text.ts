import { useTexts } from '../../src/ui/texts.ts';
import { type BackOfficeLanguage, DASHBOARD_TEXTS } from '../i18n/texts.ts';
import { shownText } from '../ui/untrusted-text.ts';

/** An operator's name, and whether it is proved: those who share a secret can claim any name. */
export function operatorText(
  language: BackOfficeLanguage,
  operator: string,
  isProved: boolean,
): string {
  const { nameProved, nameClaimed } = DASHBOARD_TEXTS[language].payment;
  return shownText(isProved ? nameProved(operator) : nameClaimed(operator));
}

/** The same in the language of the page that is being rendered. */
export function useOperatorText(operator: string, isProved: boolean): string {
  const { nameProved, nameClaimed } = useTexts(DASHBOARD_TEXTS).payment;
  return shownText(isProved ? nameProved(operator) : nameClaimed(operator));
}
