import { sha256Hex } from '../../../kit/crypto/encoding.ts';
import { clientNetwork, isWithinLimit } from '../../../kit/http/rate-limit.ts';
import { readBytes } from '../../../kit/http/read-bytes.ts';
import { prepare } from '../../../kit/platform/database.ts';
import { errorText, log } from '../../../kit/platform/log.ts';
import { configOf } from '../../config.ts';
import type { MessageLanguage } from '../endpoints.ts';
import { moveChat, pauseChat, resumeChat } from './chats.ts';
import { connectChat } from './connections.ts';
import { type MessageBindings, messageBotOf } from './settings.ts';
import { UPDATES_SECRET_HEADER, updatesSecret } from './telegram.ts';
import { MESSAGE_TEXTS } from './texts.ts';

/**
 * What Telegram reports to the bot (https://core.telegram.org/bots/api#update): a code in a chat, a
 * chat that the bot left or that moved. Everything else is accepted and ignored, because Telegram
 * repeats what is refused.
 */

/** A message has 4,096 characters, and Telegram describes its sender and chat. */
const UPDATE_BYTES_MAX = 64 * 1024;
/** Longer than Telegram's titles; the description of an endpoint takes 200. */
const TITLE_CHARACTERS_MAX = 128;
/** `@bot` follows the command in groups. The code is checked by those who know its form. */
const START = /^\/start(?:@\w+)?(?:\s+(\S{1,64}))?\s*$/;
/** The states of the bot in a chat that it cannot write to. */
const GONE: readonly string[] = ['left', 'kicked'];

interface Chat {
  readonly id: number;
  readonly title?: unknown;
  readonly first_name?: unknown;
}

/** Only what is read here. Telegram is trusted about types, once the secret has proved it. */
interface Update {
  readonly message?: {
    readonly chat: Chat;
    readonly text?: unknown;
    readonly migrate_to_chat_id?: number;
  };
  readonly my_chat_member?: {
    readonly chat: Chat;
    readonly new_chat_member?: { readonly status: string };
  };
}

/** POST /telegram/updates, with the secret that `setWebhook` named. */
export async function takeUpdate(request: Request, env: Env & MessageBindings): Promise<Response> {
  try {
    return (await refusalOf(request, env)) ?? (await acceptedUpdate(request, env));
  } catch (error) {
    // Telegram repeats the update for a day.
    log('error', 'telegram_update_failed', { error: errorText(error) });
    return textAnswer(503, 'Not available', { 'retry-after': '5' });
  }
}

/** Only Telegram knows the secret. Nothing is read or stored before it is checked. */
async function refusalOf(request: Request, env: Env & MessageBindings): Promise<Response | null> {
  if (request.method !== 'POST') {
    return textAnswer(405, 'Method not allowed', { allow: 'POST' });
  }
  const bot = messageBotOf(env);
  const sent = request.headers.get(UPDATES_SECRET_HEADER) ?? '';
  const isTelegram =
    bot !== null && (await sha256Hex(sent)) === (await sha256Hex(await updatesSecret(bot)));
  if (isTelegram) {
    return null;
  }
  const key = `telegram/${clientNetwork(request)}`;
  return (await isWithinLimit(configOf(env), env.FAILED_KEY_RATE_LIMIT, key))
    ? textAnswer(401, 'Not authentic')
    : textAnswer(429, 'Too many requests', { 'retry-after': '60' });
}

async function acceptedUpdate(request: Request, env: Env): Promise<Response> {
  const bytes = await readBytes(request, UPDATE_BYTES_MAX);
  const { message, my_chat_member: member } = updateIn(bytes) ?? {};
  const chat = message?.chat ?? member?.chat;
  if (chat === undefined || !Number.isSafeInteger(chat.id)) {
    return done();
  }
  if (!(await isWithinLimit(configOf(env), env.CALLBACK_RATE_LIMIT, `telegram/${chat.id}`))) {
    return done();
  }
  const chatId = String(chat.id);
  const status = member?.new_chat_member?.status;
  if (status !== undefined) {
    await (GONE.includes(status) ? pauseChat(env, chatId, Date.now()) : resumeChat(env, chatId));
    return done();
  }
  const movedTo = message?.migrate_to_chat_id;
  if (Number.isSafeInteger(movedTo)) {
    await moveChat(env, null, chatId, String(movedTo));
    return done();
  }
  const start = START.exec(String(message?.text ?? ''));
  return start === null ? done() : reply(chat, await answerToStart(env, chat, start[1] ?? ''));
}

/** What the bot says to `/start`, with the code of a link or without. */
async function answerToStart(env: Env, chat: Chat, code: string): Promise<string> {
  if (code === '') {
    return inBoth('welcome');
  }
  const title = String(chat.title ?? chat.first_name ?? '').slice(0, TITLE_CHARACTERS_MAX);
  const connected = await connectChat(env, { chatId: String(chat.id), title, code }, Date.now());
  switch (connected.type) {
    case 'unknown':
      return inBoth('codeUsed');
    case 'full':
      return MESSAGE_TEXTS[connected.settings.language].full;
    case 'connected': {
      const { merchantId } = connected.tenant;
      return MESSAGE_TEXTS[connected.settings.language].connected(await nameOf(env, merchantId));
    }
  }
}

/** To a chat whose language is unknown. */
function inBoth(text: 'welcome' | 'codeUsed'): string {
  const languages: readonly MessageLanguage[] = ['en', 'am'];
  return languages.map((language) => MESSAGE_TEXTS[language][text]).join('\n');
}

async function nameOf({ DB }: Env, merchantId: string): Promise<string> {
  const query = { sql: 'SELECT name FROM merchants WHERE id = ?1', params: [merchantId] };
  return (await prepare(DB, query).first<string>('name')) ?? merchantId;
}

/** The answer is a call of the bot's own: Telegram sends the message. */
function reply({ id }: Chat, text: string): Response {
  return Response.json({ method: 'sendMessage', chat_id: id, text });
}

function done(): Response {
  return textAnswer(200, 'OK');
}

function textAnswer(status: number, text: string, headers: HeadersInit = {}): Response {
  return new Response(`${text}\n`, { status, headers });
}

function updateIn(bytes: Uint8Array | null): Update | null {
  try {
    return bytes && JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
