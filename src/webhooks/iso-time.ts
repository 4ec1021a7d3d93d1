/** The form of all times in answers and events. */
export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
