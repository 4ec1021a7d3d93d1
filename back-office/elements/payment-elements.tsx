import type { IntentStatus } from '../../src/domain/intent.ts';
import type { Currency } from '../../src/domain/method.ts';
import { moneyText } from '../../src/i18n/money-text.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../i18n/texts.ts';
import { Badge, type BadgeTone } from '../ui/elements.tsx';
import type { PageView } from '../ui/page.tsx';

type Call = Pick<PageView, 'language'>;

const TONES: Readonly<Record<IntentStatus, BadgeTone>> = {
  open: 'plain',
  processing: 'wait',
  succeeded: 'good',
  failed: 'bad',
  expired: 'plain',
  canceled: 'plain',
};

export function StatusBadge(props: { readonly call: Call; readonly status: IntentStatus }) {
  return (
    <Badge tone={TONES[props.status]}>
      {DASHBOARD_TEXTS[props.call.language].statuses[props.status]}
    </Badge>
  );
}

/** Writes amounts of the currency in the reader's language. */
export function moneyIn({ language }: Call, currency: Currency): (amountMinor: number) => string {
  return (amountMinor) => moneyText(amountMinor, currency, CHECKOUT_TEXTS[language].locale);
}
