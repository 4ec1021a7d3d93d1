import { ConfigError } from '../../../kit/config-error.ts';
import { isLoopback } from '../../../kit/loopback.ts';

/**
 * The operator's ways to people: a bot of Telegram and e-mail. Parsed apart from the rest of the
 * configuration: a wrong setting here stops no payment.
 */

/** Optional, so `Env` does not name them. */
export interface MessageBindings {
  readonly MESSAGE_TELEGRAM?: string;
  readonly MESSAGE_EMAIL?: SendEmail;
  readonly MESSAGE_EMAIL_FROM?: string;
  readonly ALERT_TELEGRAM_BASE_URL?: string;
}

export interface TelegramBot {
  /** `https://api.telegram.org`, or a relay where Telegram is out of reach. */
  readonly baseUrl: string;
  readonly token: string;
}

export interface Mailbox {
  readonly binding: SendEmail;
  readonly from: string;
}

const TOKEN = /^\d+:[\w-]{20,100}$/;
const ADDRESS = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/;
/** RFC 5321. */
const ADDRESS_CHARACTERS_MAX = 254;

export function isEmailAddress(text: string): boolean {
  return text.length <= ADDRESS_CHARACTERS_MAX && ADDRESS.test(text);
}

/** The bot with this token, behind the relay if there is one. Null for a token of another form. */
export function botOf(
  token: string | undefined,
  { ALERT_TELEGRAM_BASE_URL: given }: MessageBindings,
): TelegramBot | null {
  if (token === undefined || !TOKEN.test(token)) {
    return null;
  }
  const baseUrl = isEmpty(given)
    ? 'https://api.telegram.org'
    : safeUrl('ALERT_TELEGRAM_BASE_URL', given).origin;
  return { baseUrl, token };
}

/**
 * The bot that writes to merchants, null for an empty secret. Throws ConfigError, which names the
 * variable and never its value.
 */
export function messageBotOf(env: MessageBindings): TelegramBot | null {
  if (isEmpty(env.MESSAGE_TELEGRAM)) {
    return null;
  }
  const bot = botOf(env.MESSAGE_TELEGRAM, env);
  if (bot === null) {
    throw new ConfigError('MESSAGE_TELEGRAM must be a bot’s token');
  }
  return bot;
}

/** The sender of e-mails to merchants; null when there is none. Throws ConfigError. */
export function messageMailboxOf({
  MESSAGE_EMAIL: binding,
  MESSAGE_EMAIL_FROM: from,
}: MessageBindings): Mailbox | null {
  if (isEmpty(from)) {
    return null;
  }
  if (!isEmailAddress(from)) {
    throw new ConfigError('MESSAGE_EMAIL_FROM must be an e-mail address');
  }
  if (binding === undefined) {
    throw new ConfigError(
      'MESSAGE_EMAIL_FROM needs the binding MESSAGE_EMAIL: run `npm run setup`',
    );
  }
  return { binding, from };
}

export function isEmpty(value: string | undefined): value is '' | undefined {
  return value === undefined || value === '';
}

/** Plain http only to this machine: for tests and local development. */
export function safeUrl(name: string, value: string): URL {
  const url = URL.parse(value);
  const isSafe =
    url !== null &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)));
  if (!isSafe || url.username !== '') {
    throw new ConfigError(`${name} must begin with https://`);
  }
  return url;
}
