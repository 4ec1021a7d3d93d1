/** A V8 CPU profile, as far as we read it; DevTools reads the whole. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** The node that ran at each sample. */
  readonly samples: readonly number[];
  /** Microseconds since the sample before. */
  readonly timeDeltas: readonly number[];
}

export interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    /** From 0. */
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
  readonly children?: readonly number[];
}

const SAMPLING_INTERVAL_US = 200;

/** The profiler of one isolate, by the Chrome DevTools Protocol. */
export class Profiler {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { id, result, error }: Reply = JSON.parse(String(data));
      const waiting = this.#waiting.get(id ?? Number.NaN);
      if (error !== undefined) {
        waiting?.reject(new Error(error.message));
      } else {
        waiting?.resolve(result);
      }
    });
  }

  /** Connects to an isolate by its name in workerd's list. */
  static async of(inspectorUrl: URL, isolate: string): Promise<Profiler> {
    const socket = new WebSocket(`ws://${inspectorUrl.host}/${isolate}`);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error(`no inspector of ${isolate}`)));
    await promise;
    return new Profiler(socket);
  }

  async start(): Promise<void> {
    await this.#call('Profiler.enable');
    await this.#call('Profiler.setSamplingInterval', { interval: SAMPLING_INTERVAL_US });
    await this.#call('Profiler.start');
  }

  async stop(): Promise<CpuProfile> {
    const { profile } = (await this.#call('Profiler.stop')) as { readonly profile: CpuProfile };
    this.#socket.close();
    return profile;
  }

  #call(method: string, params: object = {}): Promise<unknown> {
    this.#lastId += 1;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(this.#lastId, waiting);
    this.#socket.send(JSON.stringify({ id: this.#lastId, method, params }));
    return waiting.promise;
  }
}

interface Reply {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}
