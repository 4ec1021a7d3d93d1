/** A text for screen readers and the remaining time at which it is announced. */
export type Announcement = readonly [atMs: number, text: string];

/** After a jump in time (sleep, a throttled tab), "5 minutes left" must not be announced at two. */
const STILL_TRUE_SHARE = 0.8;

/** The text to announce now, from the pending ones. */
export function dueAnnouncement(
  ahead: readonly Announcement[],
  remainingMs: number,
): string | undefined {
  return ahead.find(([atMs]) => remainingMs <= atMs && remainingMs > atMs * STILL_TRUE_SHARE)?.[1];
}

/** The pending ones. A passed one is dropped, so each is announced at most once. */
export function announcementsAhead(
  announcements: readonly Announcement[],
  remainingMs: number,
): readonly Announcement[] {
  return announcements.filter(([atMs]) => atMs < remainingMs);
}
