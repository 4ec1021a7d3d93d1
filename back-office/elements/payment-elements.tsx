import type { IntentStatus } from '../../src/domain/intent.ts';
import type { Currency } from '../../src/domain/method.ts';
import { moneyText } from '../../src/i18n/money-text.ts';
import { useTexts } from '../../src/ui/texts.ts';
import { type BackOfficeLanguage, CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../i18n/texts.ts';
import { Badge, type BadgeTone } from '../ui/elements.tsx';

const TONES: Readonly<Record<IntentStatus, BadgeTone>> = {
  open: 'plain',
  processing: 'wait',
  succeeded: 'good',
  failed: 'bad',
  expired: 'plain',
  canceled: 'plain',
};

export function StatusBadge(props: { readonly status: IntentStatus }) {
  return (
    <Badge tone={TONES[props.status]}>{useTexts(DASHBOARD_TEXTS).statuses[props.status]}</Badge>
  );
}

type Call = { readonly language: BackOfficeLanguage };

/** Writes amounts of the currency in the reader's language. */
export function moneyIn({ language }: Call, currency: Currency): (amountMinor: number) => string {
  return (amountMinor) => moneyText(amountMinor, currency, CHECKOUT_TEXTS[language].locale);
}

/** The same in the language of the page that is being rendered. */
export function useMoney(currency: Currency): (amountMinor: number) => string {
  const { locale } = useTexts(CHECKOUT_TEXTS);
  return (amountMinor) => moneyText(amountMinor, currency, locale);
}
