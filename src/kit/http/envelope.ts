import { codeOf, type FieldErrors, textOf } from './field-error.ts';
import type { Problem } from './problem.ts';

/**
 * The envelope of a successful answer (docs/api.md#answers) as the exact bytes to send. It has
 * `warnings` only if there are any.
 */
export function successBody(
  message: string,
  content: unknown,
  warnings: readonly string[] = [],
): string {
  return JSON.stringify({ status: 200, message, content, ...named(warnings) });
}

function named(warnings: readonly string[]): { readonly warnings?: readonly string[] } {
  return warnings.length === 0 ? {} : { warnings };
}

export function successResponse(message: string, content: unknown): Response {
  return jsonResponse(200, successBody(message, content));
}

export function jsonResponse(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(body, {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      ...headers,
    },
  });
}

/** What tells the gateway's own origin. */
export interface OwnOrigin {
  readonly PUBLIC_BASE_URL: string;
  /** Where the documentation and the dashboard are, if elsewhere. */
  readonly BACK_OFFICE_BASE_URL?: string;
}

/** Where a problem happened. */
export interface ProblemContext<Bindings = OwnOrigin> {
  readonly env: Bindings;
  readonly requestId: string;
}

/** The error envelope (docs/api.md#errors), with `validationErrors` when fields are invalid. */
export function problemResponse(
  request: Request,
  problem: Problem,
  { env, requestId }: ProblemContext,
): Response {
  const { code, status, message, validationErrors, warnings, members } = problem;
  const envelope = {
    status,
    message,
    code,
    ...(validationErrors !== null && fieldErrorsOf(validationErrors)),
    ...named(warnings),
    ...members,
    requestId,
    docs: `${backOfficeOrigin(request, env)}/docs/errors#${code}`,
  };
  return jsonResponse(status, JSON.stringify(envelope), problem.headers);
}

/** Where the documentation and the dashboard are. */
export function backOfficeOrigin(request: Request, env: OwnOrigin): string {
  return URL.parse(env.BACK_OFFICE_BASE_URL ?? '')?.origin ?? originOf(request, env);
}

function fieldErrorsOf(errors: FieldErrors) {
  const entries = Object.entries(errors);
  return {
    validationErrors: Object.fromEntries(entries.map(([path, error]) => [path, textOf(error)])),
    validationErrorCodes: Object.fromEntries(entries.map(([path, error]) => [path, codeOf(error)])),
  };
}

/**
 * The gateway's own origin. Not from the parsed configuration, which a problem may be about and which
 * needs the secrets.
 */
export function originOf(request: Request, env: OwnOrigin): string {
  const base = env.PUBLIC_BASE_URL ? URL.parse(env.PUBLIC_BASE_URL) : null;
  return (base ?? new URL(request.url)).origin;
}
