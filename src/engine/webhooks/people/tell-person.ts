import { moneyText } from '../../../kit/i18n/money-text.ts';
import { timeText } from '../../../kit/i18n/time-text.ts';
import type { Currency } from '../../../kit/money.ts';
import { errorText, log } from '../../../kit/platform/log.ts';
import type { Tenant } from '../../../kit/tenant.ts';
import { type Intent, reportedAttempt } from '../../domain/intent.ts';
import type { Method } from '../../domain/method.ts';
import { withoutPhoneNumbers } from '../../domain/phone.ts';
import { checkout as AMHARIC } from '../../i18n/am.ts';
import { checkout as ENGLISH } from '../../i18n/en.ts';
import { intentByName } from '../../intent/client.ts';
import type { ClaimedDelivery } from '../../intent/protocol.ts';
import {
  EMAIL_SCHEME,
  endpointKind,
  type MessageLanguage,
  TELEGRAM_SCHEME,
  type WebhookEndpoint,
  type WireEvent,
} from '../endpoints.ts';
import { type SendResult, unsentTry } from '../send.ts';
import { moveChat } from './chats.ts';
import { sendEmail } from './email.ts';
import type { Sent } from './sent.ts';
import { messageBotOf, messageMailboxOf } from './settings.ts';
import { sendTelegram } from './telegram.ts';
import { MESSAGE_TEXTS } from './texts.ts';

/** Messages to the people of a merchant's endpoints (docs/notifications.md). */

export interface Message {
  /** The first line; of an e-mail the subject. */
  readonly title: string;
  readonly text: string;
}

/** Tells a person of an event, and reports what became of it as of a webhook. */
export async function tellPerson(
  env: Env,
  endpoint: WebhookEndpoint,
  delivery: ClaimedDelivery,
  objectName: string,
): Promise<SendResult> {
  const intent = await intentByName(env, objectName).read();
  const message = eventMessage(delivery, intent, endpoint.language ?? 'en');
  return sendMessage(env, delivery.tenant, endpoint.url, message);
}

/** Sends a message to a chat or an address. The result has no address and no answer's text. */
export async function sendMessage(
  env: Env,
  tenant: Tenant,
  url: string,
  message: Message,
): Promise<SendResult> {
  const atMs = Date.now();
  const told =
    endpointKind(url) === 'TELEGRAM'
      ? await chat(env, tenant, url.slice(TELEGRAM_SCHEME.length), message)
      : await mail(env, url.slice(EMAIL_SCHEME.length), message);
  if (told === null) {
    const error = 'not sent: the gateway’s operator has not set up this way';
    return { log: unsentTry(error, atMs), retryAfterMs: null };
  }
  const { sent, httpStatus, hasLeft } = told;
  const error = sent.type === 'sent' ? null : sent.error;
  if (sent.type === 'refused' && !hasLeft) {
    // A wrong token or sender: only the operator can mend it.
    log('error', 'message_refused', { error: sent.error });
  }
  const durationMs = Date.now() - atMs;
  return {
    log: { atMs, durationMs, httpStatus, error, answerExcerpt: '' },
    retryAfterMs: sent.type === 'failed' ? sent.retryAfterMs : null,
    hasLeft,
  };
}

interface Told {
  readonly sent: Sent;
  readonly httpStatus: number | null;
  readonly hasLeft: boolean;
}

/** Null, also with a log line, when the settings allow no message. */
function settingsOrNull<Settings>(read: () => Settings | null): Settings | null {
  try {
    return read();
  } catch (error) {
    log('error', 'message_settings_unreadable', { error: errorText(error) });
    return null;
  }
}

async function chat(
  env: Env,
  tenant: Tenant,
  chatId: string,
  { text }: Message,
): Promise<Told | null> {
  const bot = settingsOrNull(() => messageBotOf(env));
  if (bot === null) {
    return null;
  }
  let told = await sendTelegram(bot, chatId, text);
  if (told.movedTo !== null) {
    await moveChat(env, tenant, chatId, told.movedTo);
    told = await sendTelegram(bot, told.movedTo, text);
  }
  const { sent, httpStatus, hasLeft } = told;
  // Another server at Telegram's address accepts nothing by its 200.
  const isForeign = sent.type !== 'sent' && httpStatus === 200;
  return { sent, httpStatus: isForeign ? null : httpStatus, hasLeft };
}

async function mail(env: Env, address: string, message: Message): Promise<Told | null> {
  const mailbox = settingsOrNull(() => messageMailboxOf(env));
  if (mailbox === null) {
    return null;
  }
  const sent = await sendEmail(mailbox, address, message);
  const hasLeft = sent.type === 'refused' && sent.error.startsWith('E_RECIPIENT_');
  // As if by HTTP: handed over, not yet read.
  return { sent, httpStatus: sent.type === 'sent' ? 202 : null, hasLeft };
}

/** What the message reads of an event's body (src/engine/webhooks/payload.ts). */
interface EventFacts {
  readonly event: WireEvent;
  readonly uniqueId: string;
  readonly paymentLinkUniqueId: string | null;
  readonly test: boolean;
  readonly totalAmount: number;
  readonly currency: Currency;
  readonly transaction: { readonly paymentType: Method } | null;
  readonly paidAt: string | null;
  readonly lastUpdateDate: string;
  readonly receiptUrl: string | null;
  readonly refund?: { readonly amountMinor: number };
}

const TIMES = { en: ENGLISH, am: AMHARIC } as const;

/** The last four digits of the phone or account that paid, or was meant to; null: unknown. */
function payerEndOf(intent: Intent): string | null {
  const { customer, debitAccount } = intent.terms;
  return (reportedAttempt(intent)?.phone ?? debitAccount ?? customer?.phone)?.slice(-4) ?? null;
}

/** Built from the event, so each try says the same. Without phone numbers, wherever they stand. */
export function eventMessage(
  { requestBody }: Pick<ClaimedDelivery, 'requestBody'>,
  intent: Intent | null,
  language: MessageLanguage,
): Message {
  const facts = JSON.parse(JSON.parse(requestBody).body) as EventFacts;
  const text = MESSAGE_TEXTS[language];
  const description = intent?.terms.description ?? null;
  const payerEnd = intent && payerEndOf(intent);
  const till = intent?.terms.tillId === undefined ? undefined : intent.terms.metadata.till;
  const { transaction, refund, receiptUrl, paymentLinkUniqueId } = facts;
  const minor = refund?.amountMinor ?? facts.totalAmount;
  const title = text.events[facts.event](moneyText(minor, facts.currency, text.locale));
  const isPaid = facts.event === 'PAYMENT_SUCCESS';
  const lines = [
    facts.test && text.sandbox,
    title,
    transaction && isPaid && text.method(text.methods[transaction.paymentType]),
    payerEnd !== null && isPaid && text.payer(payerEnd),
    description !== null && text.about(withoutPhoneNumbers(description)),
    paymentLinkUniqueId !== null && text.link(withoutPhoneNumbers(paymentLinkUniqueId)),
    till !== undefined && text.till(withoutPhoneNumbers(till)),
    text.payment(withoutPhoneNumbers(facts.uniqueId)),
    timeText(Date.parse(facts.paidAt ?? facts.lastUpdateDate), TIMES[language]),
    receiptUrl !== null && isPaid && text.receipt(receiptUrl),
  ];
  return { title, text: lines.filter((line) => typeof line === 'string').join('\n') };
}
