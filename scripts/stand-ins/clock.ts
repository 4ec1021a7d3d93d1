/** `2025-10-13 19:19:38` in Addis Ababa. */
export function addisTime(atMs: number): string {
  return new Date(atMs + 3 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
}

/** `20251013191938` in Addis Ababa. */
export function addisDigits(atMs: number): string {
  return addisTime(atMs).replaceAll(/\D/g, '');
}

/** Whether a time in one of these two forms, in `zone`, is now. */
export function isNow(time: string, skewMsMax: number, zone = '+03:00'): boolean {
  const digits = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/;
  const iso = time.replaceAll(/\D/g, '').replace(digits, `$1-$2-$3T$4:$5:$6${zone}`);
  return Math.abs(Date.parse(iso) - Date.now()) <= skewMsMax;
}
