import { consumeResults } from '../../src/engine/attempts/provider-reports.ts';
import { consumeDeliveries } from '../../src/engine/webhooks/consume.ts';
import { type Clock, never, OUTSIDE } from './clock.ts';
import { SimulatedFailure } from './faults.ts';

type Consume = (batch: never, env: Env, ctx: ExecutionContext) => Promise<void>;

const CONSUMERS: Readonly<Record<string, Consume>> = {
  'kefel-webhooks': consumeDeliveries,
  'kefel-webhook-retries': consumeDeliveries,
  'kefel-provider-reports': consumeResults,
};

/** A consumer in wrangler.toml. */
export interface QueueSettings {
  readonly queue: string;
  readonly max_batch_size: number;
  readonly max_batch_timeout: number;
  readonly max_retries: number;
  readonly retry_delay?: number;
}

/** Messages of a consumer that died become visible again after this. */
const VISIBILITY_MS = 30_000;
/** A consumer that takes longer is ended. */
const CONSUMER_MS_MAX = 15 * 60_000;

interface Queued {
  readonly body: unknown;
  readonly id: number;
  readonly attempts: number;
}

/** What consumers need of the history. */
interface Surroundings {
  readonly clock: Clock;
  readonly env: Env;
}

/** All queues of a history. */
export class Queues {
  readonly #world: Surroundings;
  readonly #clock: Clock;
  readonly #settings: ReadonlyMap<string, QueueSettings>;
  readonly #waiting = new Map<string, Queued[]>();
  #sent = 0;
  #batches = 0;
  /** How often everything was lost. */
  #losses = 0;

  constructor(world: Surroundings, settings: readonly QueueSettings[]) {
    this.#world = world;
    this.#clock = world.clock;
    this.#settings = new Map(settings.map((each) => [each.queue, each]));
  }

  binding(queue: string): { send(body: unknown): Promise<void> } {
    return { send: (body) => this.#send(queue, body) };
  }

  /** Deletes the queues with their messages; new ones begin. */
  lose(): void {
    this.#losses += 1;
    this.#waiting.clear();
  }

  #send(queue: string, body: unknown): Promise<void> {
    const clock = this.#clock;
    if (!clock.isCallPossible()) {
      return never();
    }
    const isRefused = clock.isDown('queues') || clock.strikes('queue_refuses');
    return clock.call(clock.latencyMs(), () => {
      if (isRefused) {
        throw new SimulatedFailure('queue is overloaded');
      }
      this.#sent += 1;
      const message = { body, id: this.#sent, attempts: 1 };
      clock.note(`-> ${queue} #${message.id}`);
      if (!isOnlyCopy(body) && clock.strikes('queue_drops')) {
        return;
      }
      this.#deliverLater(queue, message, 0);
      if (clock.strikes('queue_duplicates')) {
        const delayMs = clock.timing.pick([0, 0, clock.timing.between(0, 60_000)]);
        this.#deliverLater(queue, message, delayMs);
      }
    });
  }

  #deliverLater(queue: string, message: Queued, delayMs: number): void {
    const clock = this.#clock;
    const reorderMs = clock.strikes('queue_reorders') ? clock.timing.between(0, 2_000) : 0;
    const lateMs = clock.strikes('queue_delays') ? clock.timing.between(1_000, 7_200_000) : 0;
    const losses = this.#losses;
    clock.schedule(OUTSIDE, delayMs + reorderMs + lateMs + clock.latencyMs(), () => {
      if (losses !== this.#losses) {
        return;
      }
      const waiting = this.#waiting.get(queue) ?? [];
      this.#waiting.set(queue, waiting);
      waiting.push(message);
      const { max_batch_timeout: seconds = 0 } = this.#settings.get(queue) ?? {};
      clock.schedule(OUTSIDE, seconds * 1_000, () => this.#consume(queue));
    });
  }

  #consume(queue: string): void {
    const consume = CONSUMERS[queue];
    const { max_batch_size: batchMax = 0, retry_delay: retrySeconds = 0 } =
      this.#settings.get(queue) ?? {};
    const messages = this.#waiting.get(queue)?.splice(0, batchMax) ?? [];
    if (consume === undefined || messages.length === 0) {
      return;
    }
    const clock = this.#clock;
    this.#batches += 1;
    const process = clock.newProcess(`${queue}/${this.#batches}`, true);
    /** What becomes of each message at the end; absent: nothing was said. */
    const verdicts = new Map<Queued, { readonly retryAfterSeconds: number | null }>();
    let isOver = false;
    const finish = (isAckedByDefault: boolean, delayMs: number) => {
      if (isOver) {
        return;
      }
      isOver = true;
      for (const message of messages) {
        const verdict = verdicts.get(message);
        const isAcked =
          verdict === undefined ? isAckedByDefault : verdict.retryAfterSeconds === null;
        if (!isAcked) {
          const seconds = verdict?.retryAfterSeconds ?? retrySeconds;
          this.#retry(queue, message, delayMs + seconds * 1_000);
        }
      }
    };
    process.onKill = () => {
      verdicts.clear();
      finish(false, VISIBILITY_MS);
    };
    const batch = {
      queue,
      messages: messages.map((message) => ({
        body: message.body,
        attempts: message.attempts,
        ack: () => verdicts.set(message, { retryAfterSeconds: null }),
        retry: ({ delaySeconds = retrySeconds } = {}) =>
          verdicts.set(message, { retryAfterSeconds: delaySeconds }),
      })),
    };
    const ctx = {
      waitUntil: (work: Promise<unknown>) => {
        work.catch((error: unknown) => clock.note(`background work: ${String(error)}`));
      },
    };
    clock.spawn(process, 0, async () => {
      clock.note(messages.map(({ id }) => `#${id}`).join(' '));
      try {
        await consume(batch as never, this.#world.env, ctx as unknown as ExecutionContext);
        finish(true, 0);
      } catch (error) {
        clock.note(`consumer threw ${String(error)}`);
        finish(false, 0);
      }
    });
    // Also ends the deliveries that continue after the batch, as the runtime does.
    clock.schedule(OUTSIDE, CONSUMER_MS_MAX, () => clock.kill(process));
  }

  #retry(queue: string, { body, id, attempts }: Queued, delayMs: number): void {
    if (attempts > (this.#settings.get(queue)?.max_retries ?? 0)) {
      this.#clock.note(`dead letter #${id}`);
      return;
    }
    this.#deliverLater(queue, { body, id, attempts: attempts + 1 }, delayMs);
  }
}

/**
 * A provider's answer that its object could not store. Every other message is sent again when it is
 * lost; this one relies on Cloudflare, whose queues keep what they accept.
 */
function isOnlyCopy(body: unknown): boolean {
  return Object(body).type === 'result';
}
