import type {
  EventSubject,
  MethodTally,
  Source,
  Standing,
  ToldOutage,
} from '../../engine/alerts/standing.ts';
import type { SubjectId } from '../../engine/alerts/subjects.ts';
import { earliest } from '../../engine/domain/earliest.ts';
import type { Sent } from '../../engine/webhooks/people/sent.ts';
import { ALARM_SAFETY_MS, ObjectAlarm } from '../../kit/platform/object-alarm.ts';
import type { AlertBindings, ChannelName } from './config.ts';
import { Decisions } from './decisions.ts';
import { LEDGER_TABLES } from './ledger.ts';
import type { LookAround } from './looks.ts';
import { MEMORY_TABLE, Memory } from './memory.ts';
import type { NoticeSubject } from './notice.ts';
import { OUTBOX_TABLES, Outbox } from './outbox.ts';
import { Sender, type SenderState } from './sender.ts';

/** How often the object looks at what reports nothing. */
const LOOK_EVERY_MS = 5 * 60_000;

const TABLES = [LEDGER_TABLES, OUTBOX_TABLES, MEMORY_TABLE].join(' ');

export interface AlertsState extends SenderState {
  readonly open: readonly NoticeSubject[];
  readonly lookedAtMs: number | null;
}

type AlertsContext = Pick<DurableObjectState, 'id' | 'storage' | 'waitUntil'>;

/**
 * The code of the object of the alerts, which `OperatorAlerts` loads. What a source says, what is
 * decided of it and what will be sent are one commit; sending comes after it, and may repeat.
 */
export class OpenAlerts {
  readonly #ctx: AlertsContext;
  readonly #env: Env & AlertBindings;
  readonly #alarm: ObjectAlarm;
  readonly #memory: Memory;
  readonly #outbox: Outbox;
  readonly #decisions: Decisions;
  readonly #sender: Sender;
  readonly #lookAroundGateway: LookAround;
  /** Sources that have reported while the object looked around: they know better. */
  readonly #heardMeanwhile = new Set<Source>();
  /** When the last alarm found that it must decide again. */
  #decideAtMs: number | null = null;

  constructor(ctx: AlertsContext, env: Env & AlertBindings, lookAround: LookAround) {
    const { sql } = ctx.storage;
    sql.exec(TABLES);
    this.#ctx = ctx;
    this.#env = env;
    this.#lookAroundGateway = lookAround;
    this.#memory = new Memory(sql);
    this.#outbox = new Outbox(sql);
    this.#decisions = new Decisions(sql, env, this.#outbox);
    this.#sender = new Sender(ctx.storage, env, this.#outbox, this.#memory);
    this.#alarm = new ObjectAlarm(ctx, {
      wakeAtMs: () => this.#wakeAtMs(),
      work: () => this.#work(),
    });
  }

  /** Replaces all that a source said before. */
  async stand(source: Source, standings: readonly Standing[]): Promise<void> {
    this.#heardMeanwhile.add(source);
    await this.#hear(() => this.#decisions.stand(source, standings));
  }

  /** Counts attempts that have ended. */
  async tally(tallies: readonly MethodTally[]): Promise<void> {
    await this.#hear((nowMs) => this.#decisions.tally(tallies, nowMs));
  }

  /** Counts what happens and leaves nothing behind. */
  async happen(subject: EventSubject, count: number, detail: string | null): Promise<void> {
    await this.#hear((nowMs) => this.#decisions.happen(subject, count, detail, nowMs));
  }

  /** Makes sure that the object wakes. */
  async look(): Promise<void> {
    await this.#hear(() => []);
  }

  /** What is open, and how the channels do. */
  state(): AlertsState {
    const open = this.#decisions.open(Date.now());
    return { open, lookedAtMs: this.#lookedAtMs(), ...this.#sender.state() };
  }

  /** Which methods do not work now, as customers are told. Reads memory only. */
  outages(): readonly ToldOutage[] {
    return this.#decisions.outages(Date.now());
  }

  /**
   * Sends a test message by one channel now, and wakes an object that nothing has woken before. Not
   * `test`: the runtime calls no method of that name.
   */
  async testChannel(channel: ChannelName): Promise<Sent> {
    await this.look();
    return this.#sender.test(channel);
  }

  alarm(): Promise<void> {
    return this.#alarm.run();
  }

  async #work(): Promise<void> {
    const nowMs = Date.now();
    await this.#lookAround(nowMs);
    this.#alarm.commit(() => this.#decisions.sayAll(nowMs));
    // An object that can no longer decide must not call its monitor.
    await this.#sender.beat(nowMs);
    await this.#sender.send();
    // Decides again, because sources were heard meanwhile.
    this.#decideAtMs = this.#alarm.commit(() => this.#decisions.sayAll(Date.now()));
  }

  /** The next thing to do; at the latest, the next look. */
  #wakeAtMs(): number {
    const lookedAtMs = this.#lookedAtMs();
    const lookAtMs = lookedAtMs === null ? null : lookedAtMs + LOOK_EVERY_MS;
    const atMs = earliest(this.#decideAtMs, lookAtMs, this.#outbox.nextDueAtMs());
    return Math.max(atMs ?? 0, Date.now());
  }

  /**
   * Commits a change together with what follows from it, and sends after the commit. `change` returns
   * the subjects that it concerns.
   */
  async #hear(change: (nowMs: number) => readonly SubjectId[]): Promise<void> {
    const armedAtMs = await this.#alarm.learn();
    this.#alarm.runIfOverdue(armedAtMs);
    const nowMs = Date.now();
    this.#alarm.commit(() => {
      const decideAtMs = this.#decisions.say(change(nowMs), nowMs);
      // If the object dies while it sends, the alarm sends.
      const sendAtMs = this.#outbox.nextDueAtMs() === null ? null : nowMs + ALARM_SAFETY_MS;
      this.#alarm.setBy(armedAtMs === null ? nowMs : earliest(decideAtMs, sendAtMs));
    });
    // The source has been heard. It does not wait for Telegram.
    this.#ctx.waitUntil(this.#sender.send());
  }

  async #lookAround(nowMs: number): Promise<void> {
    const lookedAtMs = this.#lookedAtMs();
    if (lookedAtMs !== null && nowMs - lookedAtMs < LOOK_EVERY_MS) {
      return;
    }
    this.#heardMeanwhile.clear();
    const looks = await this.#lookAroundGateway(this.#env, nowMs);
    this.#alarm.commit(() => {
      for (const { source, standings } of looks) {
        if (standings !== null && !this.#heardMeanwhile.has(source)) {
          this.#decisions.stand(source, standings);
        }
      }
      this.#memory.put('look', { atMs: nowMs });
    });
  }

  #lookedAtMs(): number | null {
    return this.#memory.get<{ atMs: number }>('look')?.atMs ?? null;
  }
}
