import { createServer, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenLocally } from '../../lab/harness/local-server.ts';
import { KEEPS_IDLE_CONNECTIONS } from '../../scripts/stand-ins/stand-in.ts';

const TOKEN = `123456:${'A'.repeat(35)}`;
const CHAT_ID = '-1001234567890';
/** https://core.telegram.org/bots/api#sendmessage */
const TEXT_CHARACTERS_MAX = 4_096;

/** Telegram's Bot API, which takes one method for one bot and one chat. */
export class Telegram {
  readonly baseUrl: string;
  /** The texts that the chat shows. */
  readonly texts: string[] = [];
  /** Answers 429 to so many of the next calls, as Telegram does to a bot that writes too fast. */
  busyCalls = 0;
  readonly #server: Server;

  private constructor(server: Server, baseUrl: string) {
    this.#server = server;
    this.baseUrl = baseUrl;
  }

  static async start(): Promise<Telegram> {
    const server = createServer(KEEPS_IDLE_CONNECTIONS);
    const telegram = new Telegram(server, await listenLocally(server));
    server.on('request', async (request, response) => {
      const [status, answer] = await telegram.#answer(request);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ok: status === 200, ...answer }));
    });
    return telegram;
  }

  /** What the gateway needs to write to the chat. */
  get variables(): readonly string[] {
    return [`ALERT_TELEGRAM:${TOKEN} ${CHAT_ID}`, `ALERT_TELEGRAM_BASE_URL:${this.baseUrl}`];
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage): Promise<readonly [status: number, answer: object]> {
    const { method, url, headers } = request;
    const body: unknown = JSON.parse(await text(request));
    if (url !== `/bot${TOKEN}/sendMessage`) {
      return [404, { error_code: 404, description: 'Not Found' }];
    }
    const isCall = method === 'POST' && headers['content-type'] === 'application/json';
    const { chat_id: chatId, text: sent } = Object(body) as Readonly<Record<string, unknown>>;
    if (!isCall || chatId !== CHAT_ID) {
      return [400, { error_code: 400, description: 'Bad Request: chat not found' }];
    }
    if (typeof sent !== 'string' || sent === '' || sent.length > TEXT_CHARACTERS_MAX) {
      return [400, { error_code: 400, description: 'Bad Request: message is too long' }];
    }
    if (this.busyCalls > 0) {
      this.busyCalls -= 1;
      const parameters = { retry_after: 1 };
      return [
        429,
        { error_code: 429, description: 'Too Many Requests: retry after 1', parameters },
      ];
    }
    this.texts.push(sent);
    return [200, { result: { message_id: this.texts.length } }];
  }
}
