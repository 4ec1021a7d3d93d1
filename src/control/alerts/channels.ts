import { standardWebhookHeaders } from '../../engine/webhooks/sign.ts';
import { sendWebhook } from '../../engine/webhooks/transport.ts';
import { errorText } from '../../kit/platform/log.ts';
import {
  type AlertBindings,
  type AlertEmail,
  type AlertWebhook,
  alertLanguagesOf,
  type ChannelName,
  emailOf,
  heartbeatUrlOf,
  type Telegram,
  telegramOf,
  webhookOf,
} from './config.ts';
import { type Links, linksOf, wordsOf } from './message.ts';
import type { Notice } from './notice.ts';
import { wireAlert } from './wire.ts';

/** `refused`: the configuration is wrong, and a repetition would be refused, too. */
export type Sent =
  | { readonly type: 'sent' }
  | { readonly type: 'failed'; readonly error: string; readonly retryAfterMs: number | null }
  | { readonly type: 'refused'; readonly error: string };

export interface Channel {
  readonly name: ChannelName;
  /** What is wrong with its settings, without their values; null: they are well formed. */
  readonly problem: string | null;
  /** Never throws. The error has no secret. */
  send(notice: Notice): Promise<Sent>;
}

/** The limit of one try: connecting, sending, and the answer. */
const TRY_TIMEOUT_MS = 10_000;
const NO_ANSWER = `no answer within ${TRY_TIMEOUT_MS / 1_000} s`;

/** 4xx, but not 408, 425 and 429, which ask for a repetition. */
const REFUSED = /^4(?!08|25|29)/;

/** The channels that the operator has set up. A malformed one refuses each notice. */
export function channelsOf(env: Env & AlertBindings): readonly Channel[] {
  const words = (notice: Notice) => wordsOf(notice, alertLanguagesOf(env), linksOf(env));
  return [
    channel(
      'telegram',
      () => telegramOf(env),
      (telegram, notice) => sendTelegram(telegram, words(notice).text),
    ),
    channel(
      'webhook',
      () => webhookOf(env),
      (webhook, notice) => sendSigned(webhook, notice, linksOf(env), words(notice)),
    ),
    channel(
      'email',
      () => emailOf(env),
      (email, notice) => sendEmail(email, words(notice)),
    ),
  ].flatMap((one) => one ?? []);
}

/** Null when it is not set up. */
function channel<Settings>(
  name: ChannelName,
  read: () => Settings | null,
  send: (settings: Settings, notice: Notice) => Promise<Sent>,
): Channel | null {
  let settings: Settings | null;
  try {
    settings = read();
  } catch (error) {
    const problem = errorText(error);
    return { name, problem, send: async () => ({ type: 'refused', error: problem }) };
  }
  const known = settings;
  return known === null
    ? null
    : {
        name,
        problem: null,
        send: async (notice) => {
          try {
            return await send(known, notice);
          } catch (error) {
            return { type: 'refused', error: errorText(error) };
          }
        },
      };
}

/** What the operator must know of Telegram's usual refusals. */
const TELEGRAM_REFUSALS: Readonly<Record<number, string>> = {
  400: 'it does not know the chat, or the bot is not in it',
  401: 'the token of the bot is wrong',
  403: 'the bot was blocked, or removed from the chat',
  404: 'the token of the bot is wrong',
};

/** https://core.telegram.org/bots/api#sendmessage. The URL holds the token, so no error quotes it. */
async function sendTelegram({ baseUrl, token, chatId }: Telegram, text: string): Promise<Sent> {
  const url = new URL(`${baseUrl}/bot${token}/sendMessage`);
  const options = { link_preview_options: { is_disabled: true } };
  const requestBody = JSON.stringify({ chat_id: chatId, text, ...options });
  const answer = await sendWebhook({ url, headers: {}, requestBody }, TRY_TIMEOUT_MS);
  const { httpStatus, answerExcerpt } = answer;
  if (httpStatus === null) {
    return failed(`Telegram: ${answer.error}`);
  }
  if (httpStatus === 200) {
    // A relay at a wrong address may answer anything.
    return /^\s*\{\s*"ok"\s*:\s*true/.test(answerExcerpt)
      ? { type: 'sent' }
      : failed('the answer was not Telegram’s');
  }
  const meaning = TELEGRAM_REFUSALS[httpStatus];
  const error = `Telegram answered ${httpStatus}${meaning === undefined ? '' : `: ${meaning}`}`;
  if (httpStatus === 429) {
    const [, seconds] = /"retry_after":\s*(\d{1,6})/.exec(answerExcerpt) ?? [];
    return failed(error, seconds === undefined ? null : Number(seconds) * 1_000);
  }
  return REFUSED.test(String(httpStatus)) ? { type: 'refused', error } : failed(error);
}

async function sendSigned(
  { url, secret }: AlertWebhook,
  notice: Notice,
  links: Links,
  words: { readonly title: string; readonly text: string },
): Promise<Sent> {
  const requestBody = JSON.stringify(wireAlert(notice, links, words));
  const headers = await standardWebhookHeaders({
    eventId: notice.id,
    timestampSeconds: Math.floor(Date.now() / 1_000),
    requestBody,
    secrets: [secret],
  });
  const answer = await sendWebhook({ url: new URL(url), headers, requestBody }, TRY_TIMEOUT_MS);
  const { httpStatus, retryAfterMs } = answer;
  if (httpStatus !== null && httpStatus >= 200 && httpStatus < 300) {
    return { type: 'sent' };
  }
  const error = answer.error ?? `the receiver answered ${httpStatus}`;
  const isRefused = httpStatus !== null && REFUSED.test(String(httpStatus));
  return isRefused ? { type: 'refused', error } : failed(error, retryAfterMs);
}

async function sendEmail(
  { binding, from, to }: AlertEmail,
  { title, text }: { readonly title: string; readonly text: string },
): Promise<Sent> {
  const signal = AbortSignal.timeout(TRY_TIMEOUT_MS);
  const silence = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => silence.reject(signal.reason), { once: true });
  try {
    // The binding takes no signal, and must not hold up the other channels.
    await Promise.race([binding.send({ from, to, subject: title, text }), silence.promise]);
    return { type: 'sent' };
  } catch (error) {
    if (signal.aborted) {
      return failed(NO_ANSWER);
    }
    const code = String(Reflect.get(Object(error), 'code') ?? 'no code');
    const isRefused = /^E_(?:SENDER|RECIPIENT)_/.test(code);
    return isRefused ? { type: 'refused', error: code } : failed(code);
  }
}

/** Calls the address whose silence tells an outside monitor that the alerts are dead. Never throws. */
export async function beat(env: AlertBindings): Promise<Sent | null> {
  let url: string | null;
  try {
    url = heartbeatUrlOf(env);
  } catch (error) {
    return failed(errorText(error));
  }
  if (url === null) {
    return null;
  }
  const signal = AbortSignal.timeout(TRY_TIMEOUT_MS);
  try {
    const response = await fetch(url, { redirect: 'manual', signal });
    await response.body?.cancel();
    return response.ok ? { type: 'sent' } : failed(`the monitor answered ${response.status}`);
  } catch {
    // An error of the runtime could quote the address.
    return failed(signal.aborted ? NO_ANSWER : 'connection failed');
  }
}

function failed(error: string, retryAfterMs: number | null = null): Sent {
  return { type: 'failed', error, retryAfterMs };
}
