/** What a scenario asks of a client. */
export interface Command {
  /**
   * The name in TypeScript: `payments.create`. Besides the client's own calls:
   * - `payments.create.warnings` and `verifyWebhook.warnings` return what the call logs;
   * - `….all(filter)` returns the items of all pages as an array;
   * - `verifyWebhook(rawBody, headers, secret, expected, { toleranceSeconds })`;
   * - `signTestWebhook(event, secret, { id, at })` returns `{ rawBody, headers }`; `at` is an ISO 8601
   *   time, and `event` the content of a webhook's `body`.
   *
   * Numbers that JSON cannot write are a `SpecialNumber`. The last argument of the other calls may be `{ idempotencyKey, timeoutSeconds, deadlineSeconds }`.
   */
  readonly call: string;
  readonly args: readonly unknown[];
  readonly client: ClientOptions;
}

export interface ClientOptions {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly timeoutSeconds: number;
  readonly deadlineSeconds?: number;
}

/** What the client returned or threw, with the same names in every language. */
export type Result =
  | { readonly value: unknown }
  /** `argument`: the client sends nothing, because the caller's values make no request. */
  | { readonly error: ApiFailure | Failure<'connection' | 'webhook' | 'argument'> };

export interface Failure<Kind extends string> {
  readonly kind: Kind;
  readonly message: string;
}

export interface ApiFailure extends Failure<'api'> {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly docs: string | null;
  readonly validationErrorCodes: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | null;
  /** Only of `duplicate_payment_id`: the payment that exists. */
  readonly payment: unknown;
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
