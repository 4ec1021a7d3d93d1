/** What a screen reader is told when so much time is left. */
export type Announcement = readonly [atMs: number, text: string];

/** After a jump in time (sleep, a throttled tab) "5 minutes left" must not be said at two. */
const STILL_TRUE_SHARE = 0.8;

/** The text to say now, out of those not yet passed. */
export function dueAnnouncement(
  ahead: readonly Announcement[],
  remainingMs: number,
): string | undefined {
  return ahead.find(([atMs]) => remainingMs <= atMs && remainingMs > atMs * STILL_TRUE_SHARE)?.[1];
}

/** Those still to come. What is passed is gone for good: each is said once. */
export function announcementsAhead(
  announcements: readonly Announcement[],
  remainingMs: number,
): readonly Announcement[] {
  return announcements.filter(([atMs]) => atMs < remainingMs);
}
