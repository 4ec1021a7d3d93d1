import {
  botOf,
  isEmailAddress,
  isEmpty,
  type Mailbox,
  safeUrl,
  type TelegramBot,
} from '../../engine/webhooks/people/settings.ts';
import { ConfigError } from '../../kit/config-error.ts';

/**
 * How the operator wants to be told. Parsed apart from the rest of the configuration: a wrong setting
 * here stops no payment.
 */

/** The ways in which messages leave. */
export const CHANNEL_NAMES = ['telegram', 'webhook', 'email'] as const;
export type ChannelName = (typeof CHANNEL_NAMES)[number];

/** The optional secrets of the ways to operators and to merchants' people. */
export const CHANNEL_SECRETS = [
  'ALERT_TELEGRAM',
  'ALERT_WEBHOOK',
  'ALERT_HEARTBEAT_URL',
  'MESSAGE_TELEGRAM',
] as const;

/** Optional, so `Env` does not name them. */
export interface AlertBindings {
  readonly ALERT_TELEGRAM?: string;
  readonly ALERT_TELEGRAM_BASE_URL?: string;
  readonly ALERT_WEBHOOK?: string;
  readonly ALERT_EMAIL?: SendEmail;
  readonly ALERT_EMAIL_FROM?: string;
  readonly ALERT_EMAIL_TO?: string;
  readonly ALERT_HEARTBEAT_URL?: string;
  readonly ALERT_LANGUAGE?: string;
}

export const ALERT_LANGUAGES = ['en', 'am'] as const;
export type AlertLanguage = (typeof ALERT_LANGUAGES)[number];

export interface Telegram extends TelegramBot {
  readonly chatId: string;
}

/** Null for an empty secret. Throws ConfigError, which names the variable and never its value. */
export function telegramOf(env: AlertBindings): Telegram | null {
  if (isEmpty(env.ALERT_TELEGRAM)) {
    return null;
  }
  const [, token, chatId] = /^(\S+) (-?\d{1,20}|@\w{1,64})$/.exec(env.ALERT_TELEGRAM) ?? [];
  const bot = botOf(token, env);
  if (bot === null || chatId === undefined) {
    throw new ConfigError('ALERT_TELEGRAM must be a bot’s token, a space, and the id of a chat');
  }
  return { ...bot, chatId };
}

/** Of 24 bytes or more. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4}){8,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export interface AlertWebhook {
  readonly url: string;
  /** `whsec_…` (Standard Webhooks). */
  readonly secret: string;
}

export function webhookOf({ ALERT_WEBHOOK: value }: AlertBindings): AlertWebhook | null {
  if (isEmpty(value)) {
    return null;
  }
  const [, url, secret] = /^(\S+) (whsec_\S+)$/.exec(value) ?? [];
  if (url === undefined || secret === undefined || !BASE64.test(secret.slice('whsec_'.length))) {
    throw new ConfigError(
      'ALERT_WEBHOOK must be a URL, a space, and whsec_ with the base64 of 24 bytes or more',
    );
  }
  return { url: safeUrl('ALERT_WEBHOOK', url).href, secret };
}

export interface AlertEmail extends Mailbox {
  readonly to: string;
}

export function emailOf(env: AlertBindings): AlertEmail | null {
  const { ALERT_EMAIL: binding, ALERT_EMAIL_FROM: from = '', ALERT_EMAIL_TO: to = '' } = env;
  if (from === '' && to === '') {
    return null;
  }
  if (!isEmailAddress(from) || !isEmailAddress(to)) {
    throw new ConfigError('ALERT_EMAIL_FROM and ALERT_EMAIL_TO must both be e-mail addresses');
  }
  if (binding === undefined) {
    throw new ConfigError('ALERT_EMAIL_TO needs the binding ALERT_EMAIL: run `npm run setup`');
  }
  return { binding, from, to };
}

export function heartbeatUrlOf({ ALERT_HEARTBEAT_URL: value }: AlertBindings): string | null {
  return isEmpty(value) ? null : safeUrl('ALERT_HEARTBEAT_URL', value).href;
}

/**
 * The languages of each message, in their order. A typo must not silence the alerts: it gives all
 * languages.
 */
export function alertLanguagesOf({
  ALERT_LANGUAGE: value,
}: AlertBindings): readonly AlertLanguage[] {
  const words = isEmpty(value) ? ['en'] : value.split(',').map((word) => word.trim());
  const known = words.flatMap((word) => ALERT_LANGUAGES.filter((language) => language === word));
  return known.length < words.length ? ALERT_LANGUAGES : [...new Set(known)];
}

/** Throws ConfigError for the first setting that cannot be used. */
export function checkAlertSettings(env: AlertBindings): void {
  for (const read of [telegramOf, webhookOf, emailOf, heartbeatUrlOf, alertLanguagesOf]) {
    read(env);
  }
}
