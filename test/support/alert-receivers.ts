import { Webhook } from 'standardwebhooks';
import {
  jsonReply,
  type ReceivedCall,
  type Reply,
  StandInServer,
} from '../../scripts/stand-ins/stand-in.ts';
import type { AlertBindings } from '../../src/control/alerts/config.ts';
import type { wireAlert } from '../../src/control/alerts/wire.ts';

/** Where an operator receives alerts: Telegram, a program that verifies them, and a monitor. */

export const TELEGRAM_TOKEN = '123456789:AAFakeTokenOfTheStandIn_0123456789';
const CHAT_ID = '-1001234567890';
export const WEBHOOK_SECRET = `whsec_${btoa('a secret of thirty-two characters')}`;
/** https://core.telegram.org/bots/api#sendmessage */
const TEXT_CHARACTERS_MAX = 4_096;

export const TELEGRAM_BUSY = jsonReply(429, {
  ok: false,
  error_code: 429,
  description: 'Too Many Requests: retry after 7',
  parameters: { retry_after: 7 },
});

export type ReceivedAlert = ReturnType<typeof wireAlert> & { readonly id: string };

/** What a receiver answers instead of taking the message. */
export interface Refusals {
  telegram?: Reply | undefined;
  webhook?: Reply | undefined;
  heartbeat?: Reply | undefined;
}

export class AlertReceivers {
  /** The messages in the chat. */
  readonly chat: string[] = [];
  /** The verified events. */
  readonly events: ReceivedAlert[] = [];
  /** When the monitor was called. */
  readonly beats: number[] = [];
  /** Telegram asks so many of the next calls to wait, as it asks a bot that writes too fast. */
  busyCalls = 0;
  readonly refusals: Refusals = {};
  #server: StandInServer | null = null;

  static async start(): Promise<AlertReceivers> {
    const receivers = new AlertReceivers();
    receivers.#server = await StandInServer.start(async (call) => receivers.#answer(call));
    return receivers;
  }

  stop(): Promise<void> {
    return this.#server?.stop() ?? Promise.resolve();
  }

  /** The operator's settings. */
  get bindings() {
    const { baseUrl = '' } = this.#server ?? {};
    return {
      ALERT_TELEGRAM: `${TELEGRAM_TOKEN} ${CHAT_ID}`,
      ALERT_TELEGRAM_BASE_URL: baseUrl,
      ALERT_WEBHOOK: `${baseUrl}/hook ${WEBHOOK_SECRET}`,
      ALERT_HEARTBEAT_URL: `${baseUrl}/beat`,
    } satisfies AlertBindings;
  }

  #answer(call: ReceivedCall): Reply {
    switch (call.url) {
      case '/hook':
        return this.refusals.webhook ?? this.#takeEvent(call);
      case '/beat':
        return this.refusals.heartbeat ?? this.#takeBeat(call);
      default:
        return this.refusals.telegram ?? this.#takeMessage(call);
    }
  }

  #takeMessage({ method, url, headers, body }: ReceivedCall): Reply {
    const refused = (status: number, description: string) =>
      jsonReply(status, { ok: false, error_code: status, description });
    if (url !== `/bot${TELEGRAM_TOKEN}/sendMessage`) {
      return /^\/bot\d+:[\w-]+\/sendMessage$/.test(url)
        ? refused(401, 'Unauthorized')
        : refused(404, 'Not Found');
    }
    const { chat_id: chatId, text } = JSON.parse(body);
    if (method !== 'POST' || headers['content-type'] !== 'application/json; charset=utf-8') {
      return refused(400, 'Bad Request: message text is empty');
    }
    if (chatId !== CHAT_ID) {
      return refused(400, 'Bad Request: chat not found');
    }
    if (typeof text !== 'string' || text === '' || text.length > TEXT_CHARACTERS_MAX) {
      return refused(400, 'Bad Request: message is too long');
    }
    if (this.busyCalls > 0) {
      this.busyCalls -= 1;
      return TELEGRAM_BUSY;
    }
    this.chat.push(text);
    return jsonReply(200, { ok: true, result: { message_id: this.chat.length, text } });
  }

  #takeEvent({ method, headers, body }: ReceivedCall): Reply {
    if (method !== 'POST') {
      return jsonReply(405, {});
    }
    const event = new Webhook(WEBHOOK_SECRET).verify(body, { ...headers });
    const { 'webhook-id': id = '' } = headers;
    this.events.push({ ...(event as ReturnType<typeof wireAlert>), id });
    return { type: 'answer', status: 204, body: '' };
  }

  #takeBeat({ method }: ReceivedCall): Reply {
    if (method !== 'GET') {
      return jsonReply(405, {});
    }
    this.beats.push(Date.now());
    return { type: 'answer', status: 200, body: 'OK' };
  }
}
