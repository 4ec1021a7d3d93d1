import { PROBLEMS, type ProblemReason } from './problems.ts';

/** Optional parts of a problem. */
interface Options {
  readonly headers?: Readonly<Record<string, string>>;
  readonly retryAfterSeconds?: number;
  readonly validationErrors?: Readonly<Record<string, string>>;
  /** What was ignored: a misspelled field often explains an error. */
  readonly warnings?: readonly string[];
}

type Placeholder<Message extends string> = Message extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

type PlaceholderOf<Reason extends ProblemReason> = Placeholder<
  (typeof PROBLEMS)[Reason]['message']
>;

type Details<Reason extends ProblemReason> = Options & {
  readonly [Name in PlaceholderOf<Reason>]: string | number;
};

/**
 * An answer that is not success. Routes throw it, and the area's router turns it into a response.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly reason: ProblemReason;
  readonly headers: Readonly<Record<string, string>>;
  readonly validationErrors: Readonly<Record<string, string>> | null;
  readonly warnings: readonly string[];

  constructor(reason: ProblemReason, message: string, options: Options) {
    super(message);
    this.reason = reason;
    this.headers =
      options.retryAfterSeconds === undefined
        ? (options.headers ?? {})
        : { ...options.headers, 'retry-after': String(options.retryAfterSeconds) };
    this.validationErrors = options.validationErrors ?? null;
    this.warnings = options.warnings ?? [];
  }

  get status(): number {
    return PROBLEMS[this.reason].status;
  }
}

/** The problem with its placeholders filled in: `problem('body_too_large', { bytesMax })`. */
export function problem<Reason extends ProblemReason>(
  reason: Reason,
  ...[details]: [PlaceholderOf<Reason>] extends [never]
    ? [details?: Options]
    : [details: Details<Reason>]
): Problem {
  const values: Readonly<Record<string, unknown>> = { ...details };
  const message = PROBLEMS[reason].message.replaceAll(/\{(\w+)\}/g, (_, name) =>
    String(values[name]),
  );
  return new Problem(reason, message, details ?? {});
}

/**
 * Names every failing field at once, by its path as the caller wrote it (docs/decisions.md#10). The
 * message holds the first of them, because shop plugins show their users `message` alone.
 */
export function validationProblem(
  validationErrors: Readonly<Record<string, string>>,
  warnings: readonly string[] = [],
): Problem {
  const [first, ...others] = Object.entries(validationErrors);
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const summary = first === undefined ? 'Validation failed' : `${first[0]}: ${inLine(first[1])}`;
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
