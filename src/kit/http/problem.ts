import { type FieldErrors, textOf } from './field-error.ts';
import { PROBLEMS, type ProblemEntry } from './problems.ts';

/** Optional parts of a problem. */
interface Options {
  readonly headers?: Readonly<Record<string, string>>;
  readonly retryAfterSeconds?: number;
  readonly validationErrors?: FieldErrors;
  /** Warnings for the caller: a misspelled field often explains an error. */
  readonly warnings?: readonly string[];
  /** More members of the envelope. */
  readonly members?: Readonly<Record<string, unknown>>;
}

type Placeholder<Message extends string> = Message extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

type Details<Message extends string> = Options & {
  readonly [Name in Placeholder<Message>]: string | number;
};

/**
 * An answer that is not success. Routes throw it, and the area's router turns it into a response.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** Its key in the registry of its area. */
  readonly code: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly validationErrors: FieldErrors | null;
  readonly warnings: readonly string[];
  readonly members: Readonly<Record<string, unknown>>;

  constructor(code: string, status: number, message: string, options: Options) {
    super(message);
    this.code = code;
    this.status = status;
    this.headers =
      options.retryAfterSeconds === undefined
        ? (options.headers ?? {})
        : { ...options.headers, 'retry-after': String(options.retryAfterSeconds) };
    this.validationErrors = options.validationErrors ?? null;
    this.warnings = options.warnings ?? [];
    this.members = options.members ?? {};
  }
}

/**
 * Makes the problems of a registry, with their placeholders filled in:
 * `problem('body_too_large', { bytesMax })`.
 */
export function problemsOf<
  Codes extends string,
  const Entries extends Readonly<Record<Codes, ProblemEntry>>,
>(entries: Entries & Readonly<Record<Codes, ProblemEntry>>) {
  return <Code extends Codes & keyof Entries>(
    code: Code,
    ...[details]: [Placeholder<Entries[Code]['message']>] extends [never]
      ? [details?: Options]
      : [details: Details<Entries[Code]['message']>]
  ): Problem => {
    const { status, message }: ProblemEntry = entries[code];
    const values: Readonly<Record<string, unknown>> = { ...details };
    const text = message.replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name]));
    return new Problem(code, status, text, details ?? {});
  };
}

/** A problem that all APIs share, or one of the merchants' API. */
export const problem = problemsOf(PROBLEMS);

/** Shop plugins and clients that repeat requests by themselves then do so about once a minute. */
export const MAINTENANCE_RETRY_SECONDS = 60;

/** The answer to a new payment or refund during maintenance (docs/decisions.md#48). */
export function maintenance(): Problem {
  return problem('maintenance', { retryAfterSeconds: MAINTENANCE_RETRY_SECONDS });
}

/**
 * Names every failing field at once, by its path as the caller wrote it (docs/decisions.md#10). The
 * message holds the first of them, because shop plugins show their users `message` alone.
 */
export function validationProblem(
  validationErrors: FieldErrors,
  warnings: readonly string[] = [],
): Problem {
  const [first, ...others] = Object.entries(validationErrors);
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const summary =
    first === undefined ? 'Validation failed' : `${first[0]}: ${inLine(textOf(first[1]))}`;
  return problem('validation_failed', { summary: `${summary}${more}`, validationErrors, warnings });
}

/**
 * A sentence as it reads after a colon: `Must be a number.` becomes `must be a number`. A name in
 * capitals, such as a method's, stays.
 */
function inLine(sentence: string): string {
  const text = sentence.replace(/\.$/, '');
  return text.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

/** Returns `thing`, or throws the problem `not_found` when it is null or undefined. */
export function found<Thing>(thing: Thing | null | undefined): Thing {
  if (thing === null || thing === undefined) {
    throw problem('not_found');
  }
  return thing;
}
