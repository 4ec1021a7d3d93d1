/**
 * Logs one JSON object per line. Values are identifiers, statuses and numbers: never a key, token,
 * phone number or body (docs/promises.md#10).
 */
export function log(
  level: 'info' | 'warn' | 'error',
  event: string,
  fields: Readonly<Record<string, string | number | boolean | null>>,
): void {
  console[level](JSON.stringify({ event, ...fields }));
}

/** The message of a thrown value, only for the log. */
export function errorText(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
