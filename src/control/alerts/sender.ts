import type { Sent } from '../../engine/webhooks/people/sent.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import { beat, channelsOf } from './channels.ts';
import { type AlertBindings, CHANNEL_NAMES, type ChannelName, heartbeatUrlOf } from './config.ts';
import { nextTryAtMs } from './decide.ts';
import type { Memory } from './memory.ts';
import { noticeOf } from './notice.ts';
import type { Outbox, Waiting } from './outbox.ts';

const BEAT_EVERY_MS = 60 * 60_000;
const BEAT_AGAIN_MS = 5 * 60_000;

/** Whether the operator has set something up, and what is wrong with the settings. */
export interface SetupState {
  readonly isSetUp: boolean;
  readonly problem: string | null;
}

export interface ChannelState extends SetupState {
  readonly name: ChannelName;
  /** Notices that wait to be sent. */
  readonly waiting: number;
  readonly sentAtMs: number | null;
  /** Why the last try failed; null when it did not. */
  readonly error: string | null;
}

/** How the ways to the operator do. */
export interface SenderState {
  /** Every channel, also those that are not set up. */
  readonly channels: readonly ChannelState[];
  readonly heartbeat: SetupState;
  /** When the heartbeat's address last answered. */
  readonly beatAtMs: number | null;
}

interface Beats extends Pick<SenderState, 'beatAtMs'> {
  /** When the heartbeat's address was last tried. */
  readonly triedAtMs: number | null;
}

/** Sends the outbox to the operator's channels, and the heartbeat to the operator's monitor. */
export class Sender {
  readonly #storage: DurableObjectStorage;
  readonly #env: Env & AlertBindings;
  readonly #outbox: Outbox;
  readonly #memory: Memory;
  #sending: Promise<void> | null = null;

  constructor(
    storage: DurableObjectStorage,
    env: Env & AlertBindings,
    outbox: Outbox,
    memory: Memory,
  ) {
    this.#storage = storage;
    this.#env = env;
    this.#outbox = outbox;
    this.#memory = memory;
  }

  state(): SenderState {
    const known = channelsOf(this.#env);
    const channels = CHANNEL_NAMES.map((name) => {
      const channel = known.find((one) => one.name === name);
      const problem = channel?.problem ?? null;
      return { ...this.#outbox.stateOf(name), isSetUp: channel !== undefined, problem };
    });
    return { channels, heartbeat: heartbeatOf(this.#env), beatAtMs: this.#beats().beatAtMs };
  }

  #beats(): Beats {
    return this.#memory.get<Beats>('beats') ?? { beatAtMs: null, triedAtMs: null };
  }

  /** Sends a test message by one channel now. */
  async test(channel: ChannelName): Promise<Sent> {
    const found = channelsOf(this.#env).find(({ name }) => name === channel);
    if (found === undefined) {
      return { type: 'refused', error: 'not set up' };
    }
    const sent = await found.send(noticeOf('test', [], Date.now()));
    this.#outbox.record(channel, errorOf(sent), Date.now());
    return sent;
  }

  /** An outside monitor notices when this call no longer comes. One lost call must not wake anybody. */
  async beat(nowMs: number): Promise<void> {
    const { beatAtMs, triedAtMs } = this.#beats();
    const isWithin = (ms: number, atMs: number | null) => atMs !== null && nowMs - atMs < ms;
    if (isWithin(BEAT_EVERY_MS, beatAtMs) || isWithin(BEAT_AGAIN_MS, triedAtMs)) {
      return;
    }
    const sent = await beat(this.#env);
    if (sent === null) {
      return;
    }
    const isSent = sent.type === 'sent';
    this.#memory.put('beats', { triedAtMs: nowMs, beatAtMs: isSent ? nowMs : beatAtMs });
    if (!isSent) {
      log('warn', 'heartbeat_failed', { error: sent.error });
    }
  }

  /** Sends what is due, each channel's notices in their order. Never throws. */
  async send(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    try {
      for (let due = this.#due(); due.length > 0; due = this.#due()) {
        await Promise.all(due.map((waiting) => this.#sendOne(waiting)));
      }
    } catch (error) {
      log('error', 'alerts_not_sent', { error: errorText(error) });
    }
  }

  #due(): readonly Waiting[] {
    return this.#outbox.due(Date.now());
  }

  async #sendOne({ id, channel, notice, tries }: Waiting): Promise<void> {
    const found = channelsOf(this.#env).find(({ name }) => name === channel);
    // The operator has removed the channel.
    const sent: Sent = (await found?.send(notice)) ?? { type: 'refused', error: 'not set up' };
    const nowMs = Date.now();
    const retryAfterMs = sent.type === 'failed' ? sent.retryAfterMs : null;
    const againAtMs =
      sent.type === 'sent' || found === undefined
        ? null
        : nextTryAtMs(tries + 1, { isRefused: sent.type === 'refused', retryAfterMs }, nowMs);
    this.#storage.transactionSync(() => {
      this.#outbox.record(channel, errorOf(sent), nowMs);
      if (againAtMs === null) {
        this.#outbox.remove(id);
      } else {
        this.#outbox.delay(id, againAtMs);
      }
    });
    if (sent.type !== 'sent') {
      log(againAtMs === null ? 'error' : 'warn', 'alert_not_delivered', {
        channel,
        tries: tries + 1,
        error: sent.error,
      });
    }
  }
}

function heartbeatOf(env: AlertBindings): SetupState {
  try {
    return { isSetUp: heartbeatUrlOf(env) !== null, problem: null };
  } catch (error) {
    return { isSetUp: true, problem: errorText(error) };
  }
}

function errorOf(sent: Sent): string | null {
  return sent.type === 'sent' ? null : sent.error;
}
