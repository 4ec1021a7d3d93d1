import { useTexts } from '../../src/kit/ui/texts.ts';
import type { DashboardMessages } from '../i18n/messages.ts';
import { DASHBOARD_TEXTS } from '../i18n/texts.ts';

type Texts = DashboardMessages['webhooks'];

/** Why a delivery failed, in the reader's language. What this version does not know stays as it is. */
export function DeliveryError({ error }: { readonly error: string }) {
  const text = deliveryErrorText(useTexts(DASHBOARD_TEXTS).webhooks, error);
  return text === null ? <code lang="en">{error}</code> : <span>{text}</span>;
}

export function deliveryErrorText(texts: Texts, error: string): string | null {
  const { deliveryErrors, urlProblem } = texts;
  const seconds = /^no answer within ([\d.]+) s$/.exec(error)?.[1];
  if (seconds !== undefined) {
    return deliveryErrors.noAnswer(seconds);
  }
  if (Object.hasOwn(deliveryErrors.known, error)) {
    return deliveryErrors.known[error as keyof Texts['deliveryErrors']['known']];
  }
  const refusal = /^not sent: (.*)$/.exec(error)?.[1] ?? '';
  return Object.hasOwn(urlProblem, refusal)
    ? deliveryErrors.notSent(urlProblem[refusal as keyof Texts['urlProblem']])
    : null;
}
