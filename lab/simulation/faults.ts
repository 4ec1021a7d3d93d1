import { Random } from '../harness/random.ts';

/** Every kind of fault, and its highest rate: how often it strikes where it could. */
export const FAULTS = {
  /** The object dies, and the commit in progress with it. */
  crash_before_commit: 0.08,
  /** The commit is durable, but its messages and the answer to the caller are lost. */
  crash_after_commit: 0.08,
  /** The storage refuses a commit, and the object lives on. */
  commit_fails: 0.05,
  /** The runtime evicts an idle object from memory. */
  eviction: 0.2,
  /** The runtime moves the object to a machine with another clock. */
  clock_skew: 0.5,
  alarm_late: 0.3,
  alarm_lost: 0.1,
  alarm_twice: 0.2,
  /** The runtime does not repeat an alarm whose object has crashed. */
  alarm_not_retried: 0.5,
  alarm_not_set: 0.05,
  /** A call to an object does not arrive. */
  call_lost: 0.08,
  /** The object executes a call, but its answer does not arrive. */
  answer_lost: 0.08,
  /** The runtime ends a Worker in the middle of a request or of a batch. */
  worker_killed: 0.03,
  queue_refuses: 0.1,
  queue_drops: 0.15,
  queue_duplicates: 0.2,
  queue_delays: 0.2,
  queue_reorders: 0.4,
  database_fails: 0.15,
  /** D1 executes a batch, but its answer does not arrive. */
  database_answer_lost: 0.1,
  database_hangs: 0.02,
  provider_refuses_start: 0.2,
  provider_start_times_out: 0.4,
  /** The provider has received the request, but its answer does not arrive. */
  provider_answer_lost: 0.4,
  provider_slow: 0.5,
  query_times_out: 0.6,
  callback_lost: 0.6,
  callback_late: 0.6,
  callback_duplicate: 0.6,
  /** A genuine report that is not true; the provider corrects it later. */
  callback_contradicting: 0.2,
  callback_forged: 0.5,
  refund_refused: 0.9,
  /** The provider accepts the refund and executes it later. */
  refund_later: 0.5,
  refund_needs_action: 0.2,
  /** The provider reports a failure, and then returns the money. */
  refund_contradicting: 1,
  merchant_down: 0.5,
  merchant_unreachable: 0.5,
  merchant_slow: 0.4,
  /** The merchant stores the event and answers with an error. */
  merchant_lies: 0.4,
  merchant_gone: 0.05,
  /** A call to an object arrives minutes later. */
  call_late: 0.05,
  /** Of the bucket with the backup. */
  bucket_fails: 0.15,
  bucket_answer_lost: 0.15,
} as const satisfies Readonly<Record<string, number>>;

export type Fault = keyof typeof FAULTS;
export const FAULT_NAMES = Object.keys(FAULTS) as Fault[];

/** What the simulation throws in the runtime's place: any other error is a mistake in Kefel. */
export class SimulatedFailure extends Error {
  override readonly name = 'SimulatedFailure';
}

/** Some kinds rage, some stay away: a history with all of them at once would reach little. */
export type Weather = Readonly<Partial<Record<Fault, number>>>;

export function weatherOf(seed: number): Weather {
  const random = new Random(seed, 'weather');
  const share = random.pick([0.1, 0.3, 0.8]);
  const rates = FAULT_NAMES.flatMap((fault) => {
    const strength = random.next();
    return random.chance(share) ? [[fault, FAULTS[fault] * strength] as const] : [];
  });
  return Object.fromEntries(rates);
}

/** What a plan says about faults. */
export interface Climate {
  readonly seed: number;
  readonly weather: Weather;
  /** Strikes that shrinking leaves out: `fault#count`. */
  readonly spared: ReadonlySet<string>;
}

/** Decides where faults strike. */
export class Faults {
  isOver = false;
  /** How often each kind has struck. */
  readonly counts = new Map<Fault, number>();
  readonly #plan: Climate;
  readonly #streams = new Map<Fault, Random>();

  constructor(plan: Climate) {
    this.#plan = plan;
  }

  strikes(fault: Fault): boolean {
    const { seed, weather, spared } = this.#plan;
    const rate = weather[fault];
    if (this.isOver || rate === undefined) {
      return false;
    }
    const stream = this.#streams.get(fault) ?? new Random(seed, `fault/${fault}`);
    this.#streams.set(fault, stream);
    if (!stream.chance(rate)) {
      return false;
    }
    const count = (this.counts.get(fault) ?? 0) + 1;
    this.counts.set(fault, count);
    return !spared.has(`${fault}#${count}`);
  }
}
