import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { CaseName } from './cases.ts';
import type { Budget, SliceResult } from './work.ts';

/** `new` is Kefel without payments. */
export type Side = 'kefel' | 'new' | 'floor' | 'peer';

export type LoadCommand =
  | {
      readonly type: 'prepare';
      readonly side: Side;
      readonly url: string;
      readonly name: CaseName;
      /** How many units to prepare, for cases whose units are prepared. */
      readonly units: number;
    }
  | { readonly type: 'run'; readonly side: Side; readonly budget: Budget };

export type LoadAnswer =
  | { readonly type: 'prepared'; readonly unitsPerSend: number }
  | { readonly type: 'done'; readonly result: SliceResult }
  | { readonly type: 'failed'; readonly error: string };

/** The process that makes the load. It does one thing at a time. */
export class Load {
  readonly #process: ChildProcess;
  readonly #ended: Promise<never>;

  constructor() {
    this.#process = fork(join(import.meta.dirname, 'load-process.ts'));
    this.#ended = once(this.#process, 'exit').then(() => {
      throw new Error('the load ended');
    });
    // Only who waits for an answer needs to know.
    this.#ended.catch(() => undefined);
  }

  /** Returns the units that one request does; 0 when the work starts by itself. */
  async prepare(side: Side, url: string, name: CaseName, units: number): Promise<number> {
    const answer = await this.#send({ type: 'prepare', side, url, name, units });
    if (answer.type !== 'prepared') {
      throw new Error('the load answered out of turn');
    }
    return answer.unitsPerSend;
  }

  /** Does what was prepared last for this side. */
  async run(side: Side, budget: Budget): Promise<SliceResult> {
    const answer = await this.#send({ type: 'run', side, budget });
    if (answer.type !== 'done') {
      throw new Error('the load answered out of turn');
    }
    return answer.result;
  }

  [Symbol.dispose](): void {
    this.#process.disconnect();
  }

  async #send(command: LoadCommand): Promise<LoadAnswer> {
    this.#process.send(command);
    const answer = await Promise.race([this.#next(), this.#ended]);
    if (answer.type === 'failed') {
      throw new Error(`load: ${answer.error}`);
    }
    return answer;
  }

  #next(): Promise<LoadAnswer> {
    return new Promise((resolve) => this.#process.once('message', resolve));
  }
}
