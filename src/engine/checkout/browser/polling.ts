import { tellBack, tellLost } from './connection.ts';
import { isBusy, onWake, reloadPage } from './page.ts';
import {
  ANSWER_MS_MAX,
  EAGER_DELAY_MS,
  EAGER_POLLS,
  pollDelayMs,
  retryDelayMs,
  TELLING_FAILURES,
} from './schedule.ts';

/** The gateway's answer about a payment. */
interface Answer {
  /** Opaque. Changes when the page must. */
  readonly state: string;
  readonly remainingMs: number | null;
}

const NOT_FOUND = 404;

/**
 * Follows the payment, and reloads the page when its state changes. Returns a function that polls
 * at once, or reloads a page that does not poll when its time is over.
 */
export function startPolling(
  onRemaining: (remainingMs: number) => void,
): (isOver: boolean) => void {
  const { status, state, follow } = document.body.dataset;
  if (status === undefined) {
    return (isOver) => isOver && reloadPage();
  }
  let timer: number | undefined;
  let isPolling = false;
  let pollCount = 0;
  let failureCount = 0;
  let eagerPolls = 0;

  const poll = async (): Promise<void> => {
    clearTimeout(timer);
    // What blocks polling here starts it again when it ends.
    if (isPolling || isBusy() || document.hidden) {
      return;
    }
    isPolling = true;
    pollCount += 1;
    const delayMs = await ask(status);
    isPolling = false;
    timer = setTimeout(poll, delayMs);
  };

  /** One poll and what follows from it. Returns the delay before the next. */
  const ask = async (path: string): Promise<number> => {
    const abort = new AbortController();
    const timeout = setTimeout(() => abort.abort(), ANSWER_MS_MAX);
    const sentAtMs = performance.now();
    let retryAfter: string | null = null;
    try {
      const response = await fetch(path, { cache: 'no-store', signal: abort.signal });
      retryAfter = response.headers.get('retry-after');
      if (response.status === NOT_FOUND) {
        reloadPage();
      } else {
        const answer = answerOf(response.ok, await response.json());
        if (answer.state !== state) {
          reloadPage();
        }
        if (answer.remainingMs !== null) {
          // The time was correct when the answer was sent, about half a round trip ago.
          onRemaining(answer.remainingMs - (performance.now() - sentAtMs) / 2);
        }
      }
    } catch {
      failureCount += 1;
      if (failureCount >= TELLING_FAILURES) {
        tellLost();
      }
      return retryDelayMs(failureCount, Math.random(), retryAfter);
    } finally {
      clearTimeout(timeout);
    }
    failureCount = 0;
    tellBack();
    if (eagerPolls > 0) {
      eagerPolls -= 1;
      return EAGER_DELAY_MS;
    }
    return pollDelayMs(follow === 'fast', pollCount);
  };

  onWake(() => {
    failureCount = 0;
    void poll();
  });
  timer = setTimeout(poll, pollDelayMs(follow === 'fast', 0));
  return (isOver) => {
    if (isOver) {
      eagerPolls = EAGER_POLLS;
    }
    void poll();
  };
}

/** Throws on anything but the gateway's answer: its errors, or a hotspot's login page. */
function answerOf(isOk: boolean, answer: Answer): Answer {
  if (!isOk || typeof answer.state !== 'string') {
    throw new TypeError();
  }
  return answer;
}
