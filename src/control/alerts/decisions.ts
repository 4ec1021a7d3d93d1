import type {
  EventSubject,
  MethodTally,
  Source,
  Standing,
  ToldOutage,
} from '../../engine/alerts/standing.ts';
import { SUBJECT_IDS, type SubjectId } from '../../engine/alerts/subjects.ts';
import { earliest } from '../../engine/domain/earliest.ts';
import { businessDay, businessDayStartMs } from '../../kit/ethiopian-time.ts';
import { log } from '../../kit/platform/log.ts';
import { channelsOf } from './channels.ts';
import type { AlertBindings } from './config.ts';
import { DIGEST_AT_MS, decideNotice } from './decide.ts';
import { countEvents, type EventWindow, QUIET, windowEndsAtMs } from './event-window.ts';
import { Ledger } from './ledger.ts';
import { Memory } from './memory.ts';
import { Methods } from './methods.ts';
import { type Notice, type NoticeSubject, noticeOf } from './notice.ts';
import type { Outbox } from './outbox.ts';

/**
 * What the operator is told: it follows from what the sources say, and goes into the outbox. Call the
 * methods that change it in a transaction. Those that hear a source return the subjects it concerns.
 */
export class Decisions {
  readonly #env: Env & AlertBindings;
  readonly #outbox: Outbox;
  readonly #ledger: Ledger;
  readonly #memory: Memory;
  readonly #methods: Methods;

  constructor(sql: SqlStorage, env: Env & AlertBindings, outbox: Outbox) {
    this.#env = env;
    this.#outbox = outbox;
    this.#ledger = new Ledger(sql);
    this.#memory = new Memory(sql);
    this.#methods = new Methods(this.#memory);
  }

  /** Replaces all that a source said before. */
  stand(source: Source, standings: readonly Standing[]): readonly SubjectId[] {
    return this.#ledger.replace(source, standings);
  }

  /** Counts attempts that have ended. */
  tally(tallies: readonly MethodTally[], nowMs: number): readonly SubjectId[] {
    for (const tally of tallies) {
      this.#methods.count(tally, nowMs);
    }
    return this.#standMethods(nowMs);
  }

  /** Counts what happens and leaves nothing behind. */
  happen(
    subject: EventSubject,
    count: number,
    detail: string | null,
    nowMs: number,
  ): readonly SubjectId[] {
    const window = this.#memory.get<EventWindow>(`event/${subject}`) ?? QUIET;
    this.#memory.put(`event/${subject}`, countEvents(subject, window, count, detail, nowMs));
    return this.#standEvents(nowMs);
  }

  /** Says what must be said now. Returns when to decide again; null: not before a report. */
  say(subjects: readonly SubjectId[], nowMs: number): number | null {
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

  /** Says what follows from the time alone, too. Returns when to decide again. */
  sayAll(nowMs: number): number | null {
    this.#standEvents(nowMs);
    this.#standMethods(nowMs);
    const nextDigestAtMs = this.#digest(nowMs);
    const windows = this.#events().map(([, window]) => windowEndsAtMs(window));
    return earliest(this.say(SUBJECT_IDS, nowMs), nextDigestAtMs, ...windows);
  }

  /** The subjects that need a person now. */
  open(nowMs: number): readonly NoticeSubject[] {
    return this.#ledger.open(nowMs);
  }

  /** Which methods do not work now, as customers are told. */
  outages(nowMs: number): readonly ToldOutage[] {
    return this.#methods.outages(nowMs);
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

  /**
   * Once a day, also when all is well: a silent morning says that the alerts are dead. Returns when the
   * next one is due.
   */
  #digest(nowMs: number): number {
    // The last day whose digest is due.
    const day = businessDay(nowMs - DIGEST_AT_MS);
    // A new gateway has nothing to sum up. Its first digest is the next morning's.
    const last = this.#memory.get<{ day: number }>('digest')?.day ?? null;
    if (last !== day) {
      this.#memory.put('digest', { day });
    }
    if (last !== null && day > last) {
      this.#post(noticeOf('digest', this.#ledger.open(nowMs), nowMs));
    }
    return businessDayStartMs(day + 1) + DIGEST_AT_MS;
  }

  #standMethods(nowMs: number): readonly SubjectId[] {
    return this.#ledger.replace('look/methods', this.#methods.standings(nowMs));
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
}
