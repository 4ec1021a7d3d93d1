import { Webhook } from 'standardwebhooks';
import {
  jsonReply,
  type ReceivedCall,
  type Reply,
  StandInServer,
} from '../../scripts/stand-ins/stand-in.ts';
import { TELEGRAM_TOKEN, TelegramBotApi } from '../../scripts/stand-ins/telegram.ts';
import type { AlertBindings } from '../../src/control/alerts/config.ts';
import type { wireAlert } from '../../src/control/alerts/wire.ts';

/** Where an operator receives alerts: Telegram, a program that verifies them, and a monitor. */

const CHAT = { id: -1_001_234_567_890, title: 'Operators' };
export const WEBHOOK_SECRET = `whsec_${btoa('a secret of thirty-two characters')}`;

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
  readonly #telegram = new TelegramBotApi(CHAT);
  /** The messages in the chat. */
  readonly chat = this.#telegram.heard;
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
      ALERT_TELEGRAM: `${TELEGRAM_TOKEN} ${CHAT.id}`,
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

  #takeMessage(call: ReceivedCall): Reply {
    if (this.busyCalls > 0) {
      this.busyCalls -= 1;
      return TELEGRAM_BUSY;
    }
    return this.#telegram.answer(call);
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
