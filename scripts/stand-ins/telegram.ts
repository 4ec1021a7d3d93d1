import { escaped, LIVE_SCRIPT, pageReply } from './desk.ts';
import { jsonReply, type ReceivedCall, type Reply, StandInServer } from './stand-in.ts';

/**
 * Plays Telegram's Bot API (https://core.telegram.org/bots/api) for one bot in one chat, and shows the
 * chat on a page, where a person presses Start.
 */

/** The bot's token. */
export const TELEGRAM_TOKEN = '123456789:AAFakeTokenOfTheStandIn_0123456789';
const BOT_NAME = 'kefel_test_bot';
const JSON_TYPE = 'application/json; charset=utf-8';
/** https://core.telegram.org/bots/api#sendmessage */
const TEXT_CHARACTERS_MAX = 4_096;

export interface TelegramChat {
  readonly id: number;
  readonly first_name?: string;
  readonly title?: string;
}

/** Where Kefel wants the bot's updates, and the secret that proves them. */
interface UpdatesAddress {
  readonly url: string;
  readonly secret_token: string;
}

export class TelegramBotApi {
  /** The bot's messages in the chat, oldest first. */
  readonly heard: string[] = [];
  readonly #chat: TelegramChat;
  #updates: UpdatesAddress | null = null;

  constructor(chat: TelegramChat) {
    this.#chat = chat;
  }

  answer({ method, url, headers, body }: ReceivedCall): Reply {
    const [, token, call] = /^\/bot(\d+:[\w-]+)\/(\w+)$/.exec(url) ?? [];
    if (call === undefined) {
      return refused(404, 'Not Found');
    }
    if (token !== TELEGRAM_TOKEN) {
      return refused(401, 'Unauthorized');
    }
    if (method !== 'POST' || headers['content-type'] !== JSON_TYPE) {
      return refused(400, 'Bad Request: message text is empty');
    }
    const sent = JSON.parse(body);
    switch (call) {
      case 'getMe':
        return accepted({ id: 1, is_bot: true, username: BOT_NAME });
      case 'setWebhook':
        this.#updates = sent;
        return accepted(true);
      case 'sendMessage':
        return this.#takeMessage(sent.chat_id, sent.text);
      default:
        return refused(404, 'Not Found');
    }
  }

  #takeMessage(chatId: unknown, text: unknown): Reply {
    if (chatId !== String(this.#chat.id)) {
      return refused(400, 'Bad Request: chat not found');
    }
    if (typeof text !== 'string' || text === '' || text.length > TEXT_CHARACTERS_MAX) {
      return refused(400, 'Bad Request: message is too long');
    }
    this.heard.push(text);
    return accepted({ message_id: this.heard.length, text });
  }

  /**
   * A person opens the bot by a link with this code, and presses Start. What the bot says; null when it
   * has named no address for its updates.
   */
  async start(code: string): Promise<string | null> {
    if (this.#updates === null) {
      return null;
    }
    const { url, secret_token: secret } = this.#updates;
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret },
      body: JSON.stringify({
        update_id: 1,
        message: { chat: this.#chat, text: `/start ${code}`.trim() },
      }),
    });
    const said = (await response.json()) as { readonly text: string };
    return said.text;
  }
}

function accepted(result: unknown): Reply {
  return jsonReply(200, { ok: true, result });
}

function refused(status: number, description: string): Reply {
  return jsonReply(status, { ok: false, error_code: status, description });
}

/** For `npm run dev` and a journey: the bot, its chat's page, and the gateway's variables to use them. */
export class TelegramStandIn {
  readonly url: string;
  readonly variables: readonly string[];
  readonly #server: StandInServer;

  private constructor(server: StandInServer) {
    this.#server = server;
    this.url = `${server.baseUrl}/`;
    this.variables = [
      `MESSAGE_TELEGRAM:${TELEGRAM_TOKEN}`,
      `ALERT_TELEGRAM_BASE_URL:${server.baseUrl}`,
    ];
  }

  static async start(port = 0): Promise<TelegramStandIn> {
    const api = new TelegramBotApi({ id: 4_711, first_name: 'Almaz' });
    return new TelegramStandIn(await StandInServer.start((call) => answer(api, call), port));
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}

async function answer(api: TelegramBotApi, call: ReceivedCall): Promise<Reply> {
  if (call.url !== '/') {
    return api.answer(call);
  }
  if (call.method !== 'POST') {
    return chatPage(api.heard);
  }
  const said = await api.start(codeIn(new URLSearchParams(call.body).get('link') ?? ''));
  api.heard.push(said ?? 'The bot has not called yet. Press Connect in the dashboard first.');
  return { type: 'answer', status: 303, headers: { location: '/' }, body: '' };
}

/** Of a whole link, or the code alone. */
function codeIn(text: string): string {
  return URL.parse(text)?.searchParams.get('start') ?? text.trim();
}

function chatPage(messages: readonly string[]): Reply {
  const list = messages.map((text) => `<p class="message">${escaped(text)}</p>`).join('');
  return pageReply(
    'Telegram',
    `<form method="post" action="/">
<label for="link">The link of “Open my Telegram” in the dashboard</label>
<input id="link" name="link" autocomplete="off"><button>Start</button></form>
<div aria-live="polite">${list || '<p>The bot has written nothing yet.</p>'}</div>`,
    LIVE_SCRIPT,
  );
}
