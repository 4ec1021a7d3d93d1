import { paymentRetentionMs } from '../../engine/config.ts';
import type { OtherPayment } from '../../engine/domain/intent.ts';
import { businessDay, DAY_MS } from '../../kit/ethiopian-time.ts';
import { log } from '../../kit/platform/log.ts';
import { ObjectAlarm } from '../../kit/platform/object-alarm.ts';
import { outageBehind } from '../../kit/platform/unavailable.ts';
import { compareStep, missingLine } from './compare.ts';
import { FILE_TABLES, FileTable, type NewFile, type StoredFile } from './file-table.ts';
import { findPayments } from './find-payments.ts';
import { ARRIVED } from './judge.ts';
import {
  type Decision,
  LINE_TABLES,
  type LineFilter,
  LineTable,
  type StoredLine,
} from './line-table.ts';
import { keptDecision, LineWriter, paymentOf, stateOf } from './line-writer.ts';
import { beginReading, keyOf, readStep } from './lines.ts';
import { FileProblem } from './problem.ts';
import type { Profile } from './profile.ts';
import { ROW_BYTES_MAX } from './rows.ts';
import { tellMissing } from './tell-missing.ts';

/** What a step reads in the first pass: some thousand lines. */
const READ_BYTES = 1_024 * 1_024;
/** A step may call each line's merchant, and an alarm may make a thousand calls. */
const MATCHED_LINES = 300;
/** These fit into so many bytes, or the step has fewer. */
const MATCHED_BYTES = Math.max(MATCHED_LINES * 512, 2 * ROW_BYTES_MAX);
/** An upload that is not finished by then was given up. */
const UPLOAD_MAX_MS = DAY_MS;
/** Bounds what a purge deletes at once. */
const PURGED_LINES = 5_000;
const PURGE_AGAIN_MS = 1_000;
/** A day of tries, half a minute apart. After that, other files must not wait for the books. */
const STEP_TRIES_MAX = 2_880;
/**
 * A line is at most a day ahead of its file, and deleted when that day is over. The file stays longer:
 * after the last one, nothing looks for lines.
 */
const LINES_AFTER_FILE_MS = 2 * DAY_MS;

type FilesContext = Pick<DurableObjectState, 'id' | 'storage' | 'waitUntil'>;

export type LineDecision =
  | { readonly type: 'assign'; readonly payment: OtherPayment }
  | { readonly type: 'undo' }
  | (Decision & { readonly type: 'accepted' | 'not_ours' });

/** The code of the object of a method's files, which `providerFiles` loads. */
export class OpenFiles {
  readonly #env: Env;
  readonly #alarm: ObjectAlarm;
  readonly #files: FileTable;
  readonly #lines: LineTable;
  readonly #writer: LineWriter;
  #isPurging = false;

  constructor(ctx: FilesContext, env: Env) {
    ctx.storage.sql.exec(FILE_TABLES);
    ctx.storage.sql.exec(LINE_TABLES);
    this.#env = env;
    this.#files = new FileTable(ctx.storage.sql);
    this.#lines = new LineTable(ctx.storage.sql);
    this.#writer = new LineWriter(this.#lines);
    this.#alarm = new ObjectAlarm(ctx, {
      wakeAtMs: () => this.#wakeAtMs(),
      work: () => this.#work(),
    });
  }

  /** A repeated call changes nothing. */
  async begin(file: NewFile): Promise<void> {
    await this.#change(() => {
      if (this.#files.get(file.id) === null) {
        const days = { lines: null, fromDay: null, toDay: null };
        const state = { read: null, compared: null, problem: null, unanswered: 0, failures: 0 };
        this.#files.put({ ...file, bytes: 0, ...days, ...state, status: 'uploading' });
      }
    });
  }

  /** Stores a piece, counted from 0. False when no upload of the file is open. */
  upload(id: string, number: number, bytes: Uint8Array<ArrayBuffer>): boolean {
    const isOpen = this.#files.get(id)?.status === 'uploading';
    if (isOpen) {
      this.#files.putPiece(id, number, bytes);
    }
    return isOpen;
  }

  /** Begins to read the file. Null: there is no such file, or pieces of it are missing. */
  async finish(id: string): Promise<StoredFile | null> {
    return this.#change(() => {
      const file = this.#files.get(id);
      const bytes = this.#files.size(id);
      if (file?.status !== 'uploading' || bytes === null) {
        return file?.status === 'uploading' ? null : file;
      }
      const finished: StoredFile = { ...file, bytes, status: 'reading' };
      this.#files.put(finished);
      return finished;
    });
  }

  file(id: string): StoredFile | null {
    return this.#files.get(id);
  }

  /** At most `limit` of its first bytes, with its profile. Null: no such upload, or not its first piece. */
  beginning(id: string, limit: number): { profile: Profile; bytes: Uint8Array } | null {
    const bytes = this.#files.bytesFrom(id, 0, limit);
    const profile = this.#files.get(id)?.profile;
    return profile === undefined || bytes.length === 0 ? null : { profile, bytes };
  }

  async files(beforeMs: number, limit: number): Promise<readonly StoredFile[]> {
    this.#alarm.runIfOverdue(await this.#alarm.learn());
    return this.#files.list(beforeMs, limit);
  }

  lines(filter: LineFilter, after: string, limit: number): readonly StoredLine[] {
    return this.#lines.list(filter, after, limit);
  }

  line(key: string): StoredLine | null {
    return this.#lines.get(key);
  }

  sums(fromDay: number, toDay: number) {
    return this.#lines.sums(fromDay, toDay);
  }

  profiles(): readonly Profile[] {
    return this.#files.profiles();
  }

  profile(name: string): Profile | null {
    return this.#files.profiles().find((profile) => profile.name === name) ?? null;
  }

  storeProfile(profile: Profile): void {
    this.#files.putProfile(profile);
  }

  deleteProfile(name: string): void {
    this.#files.removeProfile(name);
  }

  /**
   * Decides about a line. `undo` ends the decision and the assignment, and looks for the payment again.
   * `seen`: the state of the line that the operator saw, if known. Null: no such line, or no such
   * payment.
   */
  async decide(
    key: string,
    decision: LineDecision,
    seen: string | null,
  ): Promise<StoredLine | 'changed' | null> {
    const decided = await this.#decide(key, decision, seen);
    await this.#tellMissing();
    return decided;
  }

  async #decide(
    key: string,
    decision: LineDecision,
    seen: string | null,
  ): Promise<StoredLine | 'changed' | null> {
    const line = this.#lines.get(key);
    if (line === null) {
      return null;
    }
    if (seen !== null && stateOf(line) !== seen) {
      return 'changed';
    }
    if (decision.type === 'accepted' || decision.type === 'not_ours') {
      return this.#commitLine({ ...line, decision });
    }
    const file = line.fileId === null ? null : this.#files.get(line.fileId);
    if (file === null) {
      return decision.type === 'undo' ? this.#commitLine({ ...line, decision: null }) : null;
    }
    const assigned = decision.type === 'assign' ? decision.payment : null;
    const named = assigned === null ? paymentOf(line) : [assigned, ...paymentOf(line)];
    const found = await findPayments(this.#env, file.environment, [line], named);
    if (assigned !== null && found.factsOf(assigned) === null) {
      return null;
    }
    if (JSON.stringify(this.#lines.get(key)) !== JSON.stringify(line)) {
      // A file has replaced it meanwhile.
      return this.#decide(key, decision, seen);
    }
    return this.#commit(() => {
      const judged = this.#writer.judged(file, line, key, assigned, found);
      this.#writer.put(judged);
      // The payment that the line had is missing again.
      const had = ARRIVED.includes(line.outcome) ? paymentOf(line) : [];
      const left = had.flatMap((payment) => found.factsOf(payment) ?? []);
      for (const { merchantId, paidAtMs, method, ...payment } of left) {
        if (paidAtMs !== null && method === file.method) {
          this.#writer.putMissing(missingLine(merchantId, { ...payment, paidAtMs }));
        }
      }
      return judged;
    });
  }

  alarm(): Promise<void> {
    return this.#alarm.run();
  }

  async #work(): Promise<void> {
    const file = this.#files.next();
    if (file === null || file.failures > 0) {
      this.#commit(() => this.#purge(Date.now()));
    }
    if (file === null) {
      await this.#tellMissing();
      return;
    }
    try {
      // One part of the work, in one transaction.
      await (file.status === 'reading'
        ? this.#readOn(file)
        : file.status === 'matching'
          ? this.#matchOn(file)
          : this.#compareOn(file));
    } catch (error) {
      const isGivenUp = file.failures >= STEP_TRIES_MAX && outageBehind(error) !== null;
      const problem = isGivenUp
        ? new FileProblem('out_of_reach', file.read?.place.line ?? 1)
        : error;
      if (problem instanceof FileProblem) {
        const { code, line, column, found } = problem;
        this.#end({ ...file, status: 'refused', problem: { code, line, column, found } });
        return;
      }
      this.#files.put({ ...file, failures: file.failures + 1 });
      throw error;
    }
  }

  /** Reads the whole file before the first line is stored: a file with a mistake changes nothing. */
  #readOn(file: StoredFile): void {
    const { state } = this.#read(file, READ_BYTES, Number.POSITIVE_INFINITY);
    if (!state.isOver) {
      this.#files.put({ ...file, read: state, failures: 0 });
      return;
    }
    const { lines, fromDay, toDay } = state;
    const read: StoredFile = { ...file, ...{ lines, fromDay, toDay }, read: null, failures: 0 };
    this.#files.put({ ...read, status: 'matching' });
  }

  async #matchOn(file: StoredFile): Promise<void> {
    const { state, lines } = this.#read(file, MATCHED_BYTES, MATCHED_LINES);
    const keys = new Set(lines.map(keyOf));
    const assignedNow = () =>
      [...keys].flatMap((key) => this.#lines.assigned(key)).flatMap(paymentOf);
    const named = assignedNow();
    const found = await findPayments(this.#env, file.environment, lines, named);
    if (JSON.stringify(assignedNow()) !== JSON.stringify(named)) {
      // An operator has assigned a payment meanwhile: the next alarm repeats the step.
      return;
    }
    this.#commit(() => {
      for (const line of lines) {
        const key = this.#lines.keyIn(file.id, line);
        const before = this.#lines.get(key);
        const [assigned = null] = before?.isAssigned ? paymentOf(before) : [];
        const judged = this.#writer.judged(file, line, key, assigned, found);
        this.#writer.put({ ...judged, decision: before && keptDecision(before, judged) });
      }
      const next: StoredFile = { ...file, read: state, failures: 0 };
      if (state.isOver) {
        this.#lines.removeRepeatedBefore(file.id);
        this.#files.dropPieces(file.id);
      }
      this.#files.put(state.isOver ? { ...next, status: 'comparing' } : next);
    });
  }

  async #compareOn(file: StoredFile): Promise<void> {
    const { next, missing } = await compareStep(this.#env, file, Date.now());
    this.#commit(() => {
      missing.forEach((line) => {
        this.#writer.putMissing(line);
      });
      if (next.status === 'done') {
        this.#lines.putExpected(next.compared?.sums ?? [], file.fromDay ?? 0, file.toDay ?? 0);
      }
      this.#files.put({ ...next, failures: 0 });
    });
    if (next.status === 'done') {
      await this.#tellMissing();
    }
  }

  async #tellMissing(): Promise<void> {
    const [newest] = this.#files.list(Number.MAX_SAFE_INTEGER, 1);
    if (newest !== undefined) {
      await tellMissing(this.#env, newest, this.#lines.sums(0, businessDay(Date.now())).outcomes);
    }
  }

  #read(file: StoredFile, bytesMax: number, linesMax: number) {
    const state = file.read ?? beginReading(file.profile, this.#files.bytesFrom(file.id, 0, 8));
    const { offset } = state.place;
    const bytes = this.#files.bytesFrom(file.id, offset, bytesMax);
    const isEnd = offset + bytes.length >= file.bytes;
    return readStep(file.profile, state, bytes, { isEnd, linesMax, nowMs: file.begunAtMs });
  }

  #commitLine(line: StoredLine): StoredLine {
    this.#commit(() => this.#lines.put(line));
    return line;
  }

  #end(file: StoredFile): void {
    const { id, method, problem } = file;
    log('info', 'provider_file_refused', { fileId: id, method, code: problem?.code ?? null });
    this.#alarm.commit(() => {
      this.#files.put(file);
      this.#files.dropPieces(id);
    });
  }

  #purge(nowMs: number): void {
    const beforeMs = nowMs - paymentRetentionMs(this.#env);
    this.#files.purgeBefore(nowMs - UPLOAD_MAX_MS, true);
    this.#isPurging = this.#lines.purgeBefore(businessDay(beforeMs), PURGED_LINES);
    if (!this.#isPurging) {
      this.#files.purgeBefore(beforeMs - LINES_AFTER_FILE_MS, false);
    }
  }

  /** Looks daily for what is past its retention, as long as there is a file. */
  #wakeAtMs(): number | null {
    const nowMs = Date.now();
    if (this.#files.next() !== null) {
      return nowMs;
    }
    const againMs = this.#isPurging ? PURGE_AGAIN_MS : DAY_MS;
    return this.#files.hasAny() ? nowMs + againMs : null;
  }

  #commit<T>(change: () => T): T {
    return this.#alarm.commit(() => this.#lines.counted(change));
  }

  async #change<T>(change: () => T): Promise<T> {
    this.#alarm.runIfOverdue(await this.#alarm.learn());
    return this.#alarm.commit(() => {
      const result = change();
      this.#alarm.setBy(this.#wakeAtMs());
      return result;
    });
  }
}
