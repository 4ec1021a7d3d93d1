import type { EventSubject, MethodTally, Source, Standing } from '../../engine/alerts/standing.ts';
import { SUBJECT_IDS, type SubjectId } from '../../engine/alerts/subjects.ts';
import { earliest } from '../../engine/domain/earliest.ts';
import { businessDay, businessDayStartMs } from '../../kit/ethiopian-time.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import { beat, channelsOf, type Sent } from './channels.ts';
import { type AlertBindings, CHANNEL_NAMES, type ChannelName, heartbeatUrlOf } from './config.ts';
import { DIGEST_AT_MS, decideNotice, nextTryAtMs } from './decide.ts';
import { countEvents, type EventWindow, QUIET, windowEndsAtMs } from './event-window.ts';
import { LEDGER_TABLES, Ledger } from './ledger.ts';
import type { LookAround } from './looks.ts';
import { MEMORY_TABLE, Memory } from './memory.ts';
import { Methods } from './methods.ts';
import type { Notice, NoticeSubject } from './notice.ts';
import { OUTBOX_TABLES, Outbox, type Waiting } from './outbox.ts';

const MINUTE_MS = 60_000;
/** How often the object looks at what reports nothing. */
const LOOK_EVERY_MS = 5 * MINUTE_MS;
const BEAT_EVERY_MS = 60 * MINUTE_MS;
/** `alarm()` first sets the next alarm this far ahead, so that a failure cannot lose it. */
const ALARM_SAFETY_MS = 30_000;
/** An alarm that is this late counts as lost, and the next call does its work. */
const ALARM_OVERDUE_MS = MINUTE_MS;

const TABLES = [LEDGER_TABLES, OUTBOX_TABLES, MEMORY_TABLE].join(' ');

/** When the object last did what it does regularly. */
interface Times {
  readonly lookedAtMs: number | null;
  readonly beatAtMs: number | null;
  /** When the heartbeat's address was last tried. */
  readonly beatTriedAtMs: number | null;
  /** The day in Addis Ababa of the last digest. */
  readonly digestDay: number | null;
}

const NEVER: Times = { lookedAtMs: null, beatAtMs: null, beatTriedAtMs: null, digestDay: null };

type AlertsContext = Pick<DurableObjectState, 'storage' | 'waitUntil'>;

/**
 * The code of the object of the alerts, which `OperatorAlerts` loads. What a source says, what is
 * decided of it and what will be sent are one commit; sending comes after it, and may repeat.
 */
export class OpenAlerts {
  readonly #ctx: AlertsContext;
  readonly #env: Env & AlertBindings;
  readonly #ledger: Ledger;
  readonly #outbox: Outbox;
  readonly #memory: Memory;
  readonly #methods: Methods;
  readonly #lookAroundGateway: LookAround;
  /** Sources that have reported while the object looked around: they know better. */
  readonly #heardMeanwhile = new Set<Source>();
  #sending: Promise<void> | null = null;

  constructor(ctx: AlertsContext, env: Env & AlertBindings, lookAround: LookAround) {
    this.#ctx = ctx;
    this.#env = env;
    this.#lookAroundGateway = lookAround;
    ctx.storage.sql.exec(TABLES);
    this.#ledger = new Ledger(ctx.storage.sql);
    this.#outbox = new Outbox(ctx.storage.sql);
    this.#memory = new Memory(ctx.storage.sql);
    this.#methods = new Methods(this.#memory);
  }

  /** Replaces all that a source said before. */
  async stand(source: Source, standings: readonly Standing[]): Promise<void> {
    this.#heardMeanwhile.add(source);
    await this.#hear(() => this.#ledger.replace(source, standings));
  }

  /** Counts attempts that have ended. */
  async tally(tallies: readonly MethodTally[]): Promise<void> {
    await this.#hear((nowMs) => {
      for (const tally of tallies) {
        this.#methods.count(tally, nowMs);
      }
      return this.#ledger.replace('look/methods', this.#methods.standings(nowMs));
    });
  }

  /** Counts what happens and leaves nothing behind. */
  async happen(subject: EventSubject, count: number, detail: string | null): Promise<void> {
    await this.#hear((nowMs) => {
      const window = this.#memory.get<EventWindow>(`event/${subject}`) ?? QUIET;
      this.#memory.put(`event/${subject}`, countEvents(subject, window, count, detail, nowMs));
      return this.#standEvents(nowMs);
    });
  }

  /** Makes sure that the object wakes: does at once what is overdue. */
  async look(): Promise<void> {
    const armedAtMs = await this.#ctx.storage.getAlarm();
    if (armedAtMs === null || armedAtMs < Date.now() - ALARM_OVERDUE_MS) {
      await this.alarm();
    }
  }

  /** What is open, and how the channels do. */
  state(): AlertsState {
    const { lookedAtMs, beatAtMs } = this.#times();
    const known = channelsOf(this.#env);
    const channels = CHANNEL_NAMES.map((name): ChannelState => {
      const channel = known.find((one) => one.name === name);
      const problem = channel?.problem ?? null;
      return { ...this.#outbox.stateOf(name), isSetUp: channel !== undefined, problem };
    });
    const open = this.#ledger.open(Date.now());
    return { open, channels, heartbeat: heartbeatStateOf(this.#env), lookedAtMs, beatAtMs };
  }

  /**
   * Sends a test message by one channel now, and wakes an object that nothing has woken before. Not
   * `test`: the runtime calls no method of that name.
   */
  async testChannel(channel: ChannelName): Promise<Sent> {
    const { storage } = this.#ctx;
    if ((await storage.getAlarm()) === null) {
      await storage.setAlarm(Date.now());
    }
    const found = channelsOf(this.#env).find(({ name }) => name === channel);
    if (found === undefined) {
      return { type: 'refused', error: 'not set up' };
    }
    const sent = await found.send(noticeOf('test', [], Date.now()));
    this.#outbox.record(channel, errorOf(sent), Date.now());
    return sent;
  }

  async alarm(): Promise<void> {
    const { storage } = this.#ctx;
    const nowMs = Date.now();
    await storage.setAlarm(nowMs + ALARM_SAFETY_MS);
    await this.#lookAround(nowMs);
    storage.transactionSync(() => {
      this.#standEvents(nowMs);
      this.#ledger.replace('look/methods', this.#methods.standings(nowMs));
      this.#digest(nowMs);
      this.#say(SUBJECT_IDS, nowMs);
    });
    // An object that can no longer decide must not call its monitor.
    await this.#beat(nowMs);
    await this.#send();
    // Decides again, because sources were heard meanwhile.
    const endedAtMs = Date.now();
    const againAtMs = storage.transactionSync(() => this.#say(SUBJECT_IDS, endedAtMs));
    await storage.setAlarm(this.#wakeAtMs(againAtMs, endedAtMs));
  }

  /**
   * Commits a change together with what follows from it, and sends after the commit. `change` returns
   * the subjects that it concerns.
   */
  async #hear(change: (nowMs: number) => readonly SubjectId[]): Promise<void> {
    const { storage } = this.#ctx;
    const nowMs = Date.now();
    const againAtMs = storage.transactionSync(() => this.#say(change(nowMs), nowMs));
    // If the object dies while it sends, the alarm sends.
    const isWaiting = this.#outbox.nextDueAtMs() !== null;
    const wakeAtMs = earliest(againAtMs, isWaiting ? nowMs + ALARM_SAFETY_MS : null);
    const armedAtMs = await storage.getAlarm();
    if (armedAtMs === null || armedAtMs < nowMs - ALARM_OVERDUE_MS) {
      await storage.setAlarm(nowMs);
    } else if (wakeAtMs !== null && wakeAtMs < armedAtMs) {
      await storage.setAlarm(wakeAtMs);
    }
    // The source has been heard. It does not wait for Telegram.
    this.#ctx.waitUntil(this.#send());
  }

  /**
   * Writes what must be said now into the outbox. Part of a transaction. Returns when it must be
   * decided again.
   */
  #say(subjects: readonly SubjectId[], nowMs: number): number | null {
    const times = subjects.map((subject) => {
      const count = this.#ledger.countOf(subject);
      const { say, againAtMs } = decideNotice(this.#ledger.toldOf(subject), count, nowMs);
      if (say !== null) {
        this.#ledger.tell(subject, say !== 'resolved', nowMs);
        this.#post(noticeOf(say, [this.#ledger.present(subject, nowMs)], nowMs));
      }
      return againAtMs;
    });
    return earliest(...times);
  }

  #post(notice: Notice): void {
    const channels = channelsOf(this.#env);
    for (const { name } of channels) {
      this.#outbox.add(name, notice);
    }
    log(notice.kind === 'new' || notice.kind === 'repeat' ? 'error' : 'info', 'alert', {
      kind: notice.kind,
      subjects: notice.subjects.map(({ subject }) => subject).join(' '),
      channels: channels.length,
    });
  }

  async #lookAround(nowMs: number): Promise<void> {
    const { lookedAtMs } = this.#times();
    if (lookedAtMs !== null && nowMs - lookedAtMs < LOOK_EVERY_MS) {
      return;
    }
    this.#heardMeanwhile.clear();
    const looks = await this.#lookAroundGateway(this.#env, nowMs);
    this.#ctx.storage.transactionSync(() => {
      for (const { source, standings } of looks) {
        if (standings !== null && !this.#heardMeanwhile.has(source)) {
          this.#ledger.replace(source, standings);
        }
      }
      this.#keepTimes({ lookedAtMs: nowMs });
    });
  }

  /** An outside monitor notices when this call no longer comes. One lost call must not wake anybody. */
  async #beat(nowMs: number): Promise<void> {
    const { beatAtMs, beatTriedAtMs } = this.#times();
    const isWithin = (ms: number, atMs: number | null) => atMs !== null && nowMs - atMs < ms;
    if (isWithin(BEAT_EVERY_MS, beatAtMs) || isWithin(LOOK_EVERY_MS, beatTriedAtMs)) {
      return;
    }
    const sent = await beat(this.#env);
    if (sent === null) {
      return;
    }
    this.#keepTimes({ beatTriedAtMs: nowMs, ...(sent.type === 'sent' && { beatAtMs: nowMs }) });
    if (sent.type !== 'sent') {
      log('warn', 'heartbeat_failed', { error: sent.error });
    }
  }

  /** Once a day, also when all is well: a silent morning says that the alerts are dead. */
  #digest(nowMs: number): void {
    // The last day whose digest is due.
    const day = businessDay(nowMs - DIGEST_AT_MS);
    const { digestDay } = this.#times();
    if (digestDay === null) {
      // A new gateway has nothing to sum up. Its first digest is the next morning's.
      this.#keepTimes({ digestDay: day });
    } else if (day > digestDay) {
      this.#keepTimes({ digestDay: day });
      this.#post(noticeOf('digest', this.#ledger.open(nowMs), nowMs));
    }
  }

  /** Sends what is due, each channel's notices in their order. Never throws. */
  async #send(): Promise<void> {
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
    this.#ctx.storage.transactionSync(() => {
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

  /** The next thing to do; at the latest, the next look. */
  #wakeAtMs(againAtMs: number | null, nowMs: number): number {
    const { lookedAtMs, digestDay } = this.#times();
    const nextAtMs = earliest(
      againAtMs,
      lookedAtMs === null ? nowMs : lookedAtMs + LOOK_EVERY_MS,
      this.#outbox.nextDueAtMs(),
      digestDay === null ? null : businessDayStartMs(digestDay + 1) + DIGEST_AT_MS,
      ...this.#events().map(([, window]) => windowEndsAtMs(window)),
    );
    return Math.max(nextAtMs ?? nowMs, nowMs);
  }

  #standEvents(nowMs: number): readonly SubjectId[] {
    const standings = this.#events().flatMap(([subject, known]): readonly Standing[] => {
      const window = countEvents(subject, known, 0, null, nowMs);
      if (window.startedAtMs !== known.startedAtMs) {
        this.#memory.put(`event/${subject}`, window);
      }
      const { openSinceMs, total, details } = window;
      return openSinceMs === null
        ? []
        : [{ subject, count: total, sinceAtMs: openSinceMs, detail: details.join(', ') || null }];
    });
    return this.#ledger.replace('look/events', standings);
  }

  #events(): readonly (readonly [EventSubject, EventWindow])[] {
    const windows = this.#memory.all<EventWindow>('event/');
    return windows.map(([name, window]) => [name.slice('event/'.length) as EventSubject, window]);
  }

  #times(): Times {
    return { ...NEVER, ...this.#memory.get<Times>('times') };
  }

  #keepTimes(times: Partial<Times>): void {
    this.#memory.put('times', { ...this.#times(), ...times });
  }
}

function noticeOf(kind: Notice['kind'], subjects: readonly NoticeSubject[], atMs: number): Notice {
  return { id: crypto.randomUUID(), kind, atMs, subjects };
}

function heartbeatStateOf(env: AlertBindings): SetupState {
  try {
    return { isSetUp: heartbeatUrlOf(env) !== null, problem: null };
  } catch (error) {
    return { isSetUp: true, problem: errorText(error) };
  }
}

function errorOf(sent: Sent): string | null {
  return sent.type === 'sent' ? null : sent.error;
}

export interface AlertsState {
  readonly open: readonly NoticeSubject[];
  /** Every channel, also those that are not set up. */
  readonly channels: readonly ChannelState[];
  readonly heartbeat: SetupState;
  readonly lookedAtMs: number | null;
  /** When the heartbeat's address last answered. */
  readonly beatAtMs: number | null;
}

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
