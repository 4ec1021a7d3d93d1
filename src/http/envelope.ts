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
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  });
}

/** The error envelope, with `validationErrors` when fields are invalid. */
export function problemResponse(problem: Problem): Response {
  const { status, message, validationErrors, warnings } = problem;
  const envelope = {
    status,
    message,
    ...(validationErrors !== null && { validationErrors }),
    ...named(warnings),
  };
  return jsonResponse(status, JSON.stringify(envelope), problem.headers);
}
