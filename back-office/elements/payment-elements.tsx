import type { FailureReason } from '../../src/engine/domain/attempt.ts';
import type { IntentStatus } from '../../src/engine/domain/intent.ts';
import { moneyText } from '../../src/kit/i18n/money-text.ts';
import type { Currency } from '../../src/kit/money.ts';
import { useTexts } from '../../src/kit/ui/texts.ts';
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

/** Whether the customer only left: the reader need not look into that. */
export function isLeft(status: string, reason: FailureReason | null | undefined): boolean {
  return status === 'failed' && reason === 'abandoned';
}

/** Whether money was returned or is on its way. */
export function isRefunded(
  payment: Readonly<Record<'refundedMinor' | 'openRefunds', number>>,
): boolean {
  return payment.refundedMinor > 0 || payment.openRefunds > 0;
}

export function StatusBadge(props: {
  readonly status: IntentStatus;
  readonly failureReason?: FailureReason | null;
}) {
  const { status, failureReason } = props;
  const text = useTexts(DASHBOARD_TEXTS);
  return isLeft(status, failureReason) ? (
    <Badge tone="plain">{text.payments.left}</Badge>
  ) : (
    <Badge tone={TONES[status]}>{text.statuses[status]}</Badge>
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
