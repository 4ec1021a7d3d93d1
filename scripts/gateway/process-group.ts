import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import '../project/exit-on-signals.ts';

const GONE_POLL_MS = 20;
const GONE_WAIT_MS = 10_000;

export interface GroupCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly directory: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** What the processes print is added to this file. */
  readonly outputFile: string;
  /** Whether the first process, which must be Node's, gets and sends messages. */
  readonly hasMessages?: boolean;
}

/** A command and all that it starts: one process group, killed as one. */
export class ProcessGroup {
  readonly #leader: ChildProcess;
  readonly #id: number;
  /** The first process's exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;

  constructor(group: GroupCommand) {
    const { command, args, directory, environment = {}, outputFile, hasMessages = false } = group;
    const output = openSync(outputFile, 'a');
    try {
      this.#leader = spawn(command, args, {
        cwd: directory,
        env: { ...process.env, ...environment },
        stdio: ['ignore', output, output, ...(hasMessages ? (['ipc'] as const) : [])],
        // Makes it the leader of a new process group.
        detached: true,
      });
    } finally {
      closeSync(output);
    }
    if (this.#leader.pid === undefined) {
      throw new Error(`${command} could not be started`);
    }
    this.#id = this.#leader.pid;
    this.ended = new Promise((resolve) => this.#leader.once('exit', resolve));
    running.add(this);
  }

  /** The first process's next message after this one is sent. */
  async ask(message: object): Promise<unknown> {
    const answer = new Promise((resolve) => this.#leader.once('message', resolve));
    this.#leader.send(message);
    return answer;
  }

  get hasExited(): boolean {
    return this.#leader.exitCode !== null || this.#leader.signalCode !== null;
  }

  /** Sends SIGKILL to every process at once; resolves when none is left. */
  async kill(): Promise<void> {
    this.killNow();
    const deadlineMs = performance.now() + GONE_WAIT_MS;
    while (this.#isAlive()) {
      if (performance.now() > deadlineMs) {
        throw new Error('a killed process group did not end');
      }
      await wait(GONE_POLL_MS);
    }
    running.delete(this);
  }

  killNow(): void {
    this.#signal('SIGKILL');
  }

  #isAlive(): boolean {
    return this.#signal(0);
  }

  /** False when no process of the group is left. */
  #signal(signal: 'SIGKILL' | 0): boolean {
    try {
      process.kill(-this.#id, signal);
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ESRCH') {
        return false;
      }
      throw error;
    }
  }
}

/** Groups must not outlive this process. */
const running = new Set<ProcessGroup>();
process.on('exit', () => {
  for (const group of running) {
    group.killNow();
  }
});
