import { sha256Hex } from '../../../kit/crypto/encoding.ts';
import { sendWebhook, type WebhookAnswer } from '../transport.ts';
import { failed, isRefusal, type Sent, TRY_TIMEOUT_MS } from './sent.ts';
import type { TelegramBot } from './settings.ts';

/** https://core.telegram.org/bots/api: one bot. Every URL holds its token, so no error quotes one. */

/** What people must know of Telegram's usual refusals. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: 'it does not know the chat, or the bot is not in it',
  401: 'the token of the bot is wrong',
  403: 'the bot was blocked, or removed from the chat',
  404: 'the token of the bot is wrong',
};

/** A chat's answer that later messages would get as well: the chat, not the operator, must act. */
const CHAT_REFUSES: readonly (number | null)[] = [400, 403];

export interface SentToChat {
  readonly sent: Sent;
  readonly httpStatus: number | null;
  /** The chat takes no messages until a person lets the bot in again. */
  readonly hasLeft: boolean;
  /** The chat has become another one, which has its messages; null: it has not. */
  readonly movedTo: string | null;
}

/** https://core.telegram.org/bots/api#sendmessage, as plain text: no name in it becomes markup. */
export async function sendTelegram(
  bot: TelegramBot,
  chatId: string,
  text: string,
): Promise<SentToChat> {
  const options = { link_preview_options: { is_disabled: true } };
  const answer = await call(bot, 'sendMessage', { chat_id: chatId, text, ...options });
  const { httpStatus, answerExcerpt } = answer;
  const movedTo = /"migrate_to_chat_id":\s*(-?\d{1,20})/.exec(answerExcerpt)?.[1] ?? null;
  const hasLeft = movedTo === null && CHAT_REFUSES.includes(httpStatus);
  return { sent: sentBy(answer), httpStatus, hasLeft, movedTo };
}

function sentBy({ httpStatus, error, answerExcerpt }: WebhookAnswer): Sent {
  if (httpStatus === null) {
    return failed(`Telegram: ${error}`);
  }
  if (httpStatus === 200) {
    // A relay at a wrong address may answer anything.
    return /^\s*\{\s*"ok"\s*:\s*true/.test(answerExcerpt)
      ? { type: 'sent' }
      : failed('the answer was not Telegram’s');
  }
  const meaning = REFUSALS[httpStatus];
  const text = `Telegram answered ${httpStatus}${meaning === undefined ? '' : `: ${meaning}`}`;
  if (httpStatus === 429) {
    const [, seconds] = /"retry_after":\s*(\d{1,6})/.exec(answerExcerpt) ?? [];
    return failed(text, seconds === undefined ? null : Number(seconds) * 1_000);
  }
  return isRefusal(httpStatus) ? { type: 'refused', error: text } : failed(text);
}

/** The bot's name in `https://t.me/…`; null when Telegram does not say it. */
export async function botName(bot: TelegramBot): Promise<string | null> {
  const { answerExcerpt } = await call(bot, 'getMe', {});
  return /"username":\s*"(\w{5,32})"/.exec(answerExcerpt)?.[1] ?? null;
}

/** The header in which Telegram returns `updatesSecret`. */
export const UPDATES_SECRET_HEADER = 'x-telegram-bot-api-secret-token';
/** Where the payments plane takes the bot's updates. */
export const UPDATES_PATH = '/telegram/updates';

/** Proves that updates are Telegram's. It follows from the token, so it needs no setting. */
export function updatesSecret({ token }: TelegramBot): Promise<string> {
  return sha256Hex(`kefel/telegram-updates/${token}`);
}

/** Tells Telegram where the bot's updates go. False when it did not accept that. */
export async function askForUpdates(bot: TelegramBot, origin: string): Promise<boolean> {
  const { httpStatus } = await call(bot, 'setWebhook', {
    url: `${origin}${UPDATES_PATH}`,
    secret_token: await updatesSecret(bot),
    allowed_updates: ['message', 'my_chat_member'],
  });
  return httpStatus === 200;
}

function call({ baseUrl, token }: TelegramBot, method: string, body: object) {
  const url = new URL(`${baseUrl}/bot${token}/${method}`);
  return sendWebhook({ url, headers: {}, requestBody: JSON.stringify(body) }, TRY_TIMEOUT_MS);
}
