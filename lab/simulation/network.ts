/** Requests and answers of the simulated network. */

export interface FetchInit {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: {
    readonly aborted: boolean;
    readonly reason: unknown;
    addEventListener(type: 'abort', listener: () => void): void;
  };
}

/** What routes answer with. */
export class SimulatedResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  readonly body = null;

  constructor(
    text: string | null,
    init: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    this.text = text ?? '';
    this.status = init.status ?? 200;
    this.headers = new Map(Object.entries(init.headers ?? {}));
  }
}
