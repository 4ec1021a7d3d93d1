/** What a scenario asks of a client. */
export interface Command {
  /** The name in TypeScript: `payments.create`. */
  readonly call: string;
  readonly args: readonly unknown[];
  readonly client: ClientOptions;
}

export interface ClientOptions {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly timeoutSeconds: number;
}

/** What the client returned or threw, with the same names in every language. */
export type Result =
  | { readonly value: unknown }
  /** `argument`: the client sends nothing, because the caller's values make no request. */
  | { readonly error: ApiFailure | { readonly kind: 'connection' | 'webhook' | 'argument' } };

export interface ApiFailure {
  readonly kind: 'api';
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId: string | null;
  readonly docs: string | null;
  readonly validationErrorCodes: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | null;
}

/** A number of the client's language that JSON cannot write. */
export interface SpecialNumber {
  readonly $number: 'NaN' | 'Infinity';
}

/** The same in TypeScript. */
export function isSpecialNumber(value: unknown): value is SpecialNumber {
  return typeof value === 'object' && value !== null && '$number' in value;
}

/** Runs commands with the client of one language. */
export interface Driver {
  run(command: Command): Promise<Result>;
}

/** A driver that speaks lines of JSON. */
export function lineDriver(answer: (line: string) => Promise<string>): Driver {
  return { run: async (command) => JSON.parse(await answer(JSON.stringify(command))) };
}
