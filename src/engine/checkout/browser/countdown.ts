import { type Anchor, anchorNow } from './anchor.ts';
import { type Announcement, announcementsAhead, dueAnnouncement } from './announcement.ts';
import { clockText, nextTickMs } from './clock.ts';
import { fill } from './fill.ts';
import { navigation, onWake } from './page.ts';

/**
 * Counts down the remaining time, and calls `check` when it is over or when the device has slept.
 * Returns a function that corrects the remaining time.
 */
export function startCountdown(check: (isOver: boolean) => void): (remainingMs: number) => void {
  const element = document.querySelector<HTMLElement>('[data-countdown]');
  const announcer = document.querySelector('[data-announcer]');
  const { template, announce, remainingMs } = element?.dataset ?? {};
  if (element === null || remainingMs === undefined) {
    return () => {};
  }
  const startedMs = performance.now();
  const ageMs = startedMs - (navigation?.responseStart ?? startedMs);
  // The server's value was correct when its response began to arrive.
  let anchor = anchorOf(Number(remainingMs) - ageMs);
  /** A page that loads with no time left stays as it is: reloading it would never end. */
  let isRunning = Number(remainingMs) > 0;
  let ahead: readonly Announcement[] = JSON.parse(announce ?? '[]');
  let timer: number | undefined;

  const tick = (isQuiet = false): void => {
    clearTimeout(timer);
    if (document.hidden || !isRunning) {
      return;
    }
    const now = anchorNow(anchor, performance.now(), Date.now());
    const text = clockText(now.remainingMs);
    if (text !== null) {
      element.textContent = fill(template, 'time', text);
    }
    const due = dueAnnouncement(ahead, now.remainingMs);
    if (due !== undefined && announcer !== null && !isQuiet) {
      announcer.textContent = due;
    }
    ahead = announcementsAhead(ahead, now.remainingMs);
    isRunning = now.remainingMs > 0;
    if (isRunning) {
      timer = setTimeout(tick, nextTickMs(now.remainingMs));
    }
    if (now.hasSlept) {
      anchor = now;
    }
    if (now.hasSlept || !isRunning) {
      check(!isRunning);
    }
  };

  onWake(() => tick(true));
  tick(true);
  return (rightMs) => {
    anchor = anchorOf(rightMs);
    isRunning ||= rightMs > 0;
    tick();
  };
}

function anchorOf(remainingMs: number): Anchor {
  return { remainingMs, monotonicMs: performance.now(), wallMs: Date.now() };
}
