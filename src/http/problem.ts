/** An answer that is not success, thrown by an API's code and turned into its envelope by its router. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly validationErrors: Readonly<Record<string, string>> | null;

  constructor(
    status: number,
    message: string,
    options: {
      headers?: Readonly<Record<string, string>>;
      validationErrors?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.headers = options.headers ?? {};
    this.validationErrors = options.validationErrors ?? null;
  }
}

/** Every failing field at once, by its path as the caller wrote it (docs/decisions.md#10). */
export function validationProblem(validationErrors: Readonly<Record<string, string>>): Problem {
  return new Problem(400, 'Validation failed', { validationErrors });
}

export function notFoundProblem(): Problem {
  return new Problem(404, 'Not found');
}

export function tooManyRequestsProblem(retryAfterSeconds: number): Problem {
  return new Problem(429, 'Too many requests', {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}
