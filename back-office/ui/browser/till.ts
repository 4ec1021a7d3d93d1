import { announce } from './announce.ts';

/** A sale is paid within a minute or two. The seller of a later one looks at the page less often. */
const ASK_EVERY_MS = 1_000;
const SOON_MS = 5 * 60_000;
const ASK_LATER_EVERY_MS = 3_000;
/** Soon, because a customer waits, and no more often than the dashboard's limit allows. */
const RETRY_MS = 2_000;
/** A working connection answers faster than this. */
const ANSWER_MS_MAX = 10_000;
/** A single failure is common; two in a row show a notice. */
const TELLING_FAILURES = 2;
/** The sign and the sound, before the page loads with the facts. */
const CHIME_MS = 900;

/** The page of a till: it stays awake, and follows its sale. */
export function till(): void {
  const section = document.querySelector<HTMLElement>('[data-till]');
  if (section === null) {
    return;
  }
  keepAwake();
  const connection = connectionNote();
  const { till: path, tag } = section.dataset;
  for (const form of section.querySelectorAll('form')) {
    form.addEventListener('submit', (event) => {
      if (!navigator.onLine) {
        event.preventDefault();
        connection(false);
      }
    });
  }
  if (path) {
    follow(path, tag ?? '', connection);
  }
  // Back restores a form that was sent, and a sale as it was: both are shown anew.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
  chimeButton(section);
  shareButton(section);
}

/** Asks for the sale's state, and loads its page when it is another one. */
function follow(path: string, tag: string, connection: (isThere: boolean) => void): void {
  const startedMs = performance.now();
  let timer: number | undefined;
  let isAsking = false;
  let isOver = false;
  let failures = 0;

  const ask = async (): Promise<void> => {
    clearTimeout(timer);
    if (isAsking || isOver || document.hidden) {
      return;
    }
    isAsking = true;
    const waitMs = await askOnce();
    isAsking = false;
    if (!isOver) {
      timer = setTimeout(ask, waitMs);
    }
  };

  const askOnce = async (): Promise<number> => {
    let retryAfter: string | null = null;
    try {
      const signal = AbortSignal.timeout(ANSWER_MS_MAX);
      const response = await fetch(`${path}/state`, { cache: 'no-store', signal });
      retryAfter = response.headers.get('retry-after');
      // The session has ended, or the role has changed: the page says so.
      if (response.redirected || response.status === 403) {
        turnTo(path);
        return 0;
      }
      const state: { tag?: unknown; isPaid?: unknown } = await response.json();
      if (!response.ok || typeof state.tag !== 'string') {
        throw new TypeError();
      }
      failures = 0;
      connection(true);
      if (state.tag !== tag) {
        showPaid(state.isPaid === true);
        setTimeout(() => turnTo(path), state.isPaid === true ? CHIME_MS : 0);
        isOver = true;
      }
    } catch {
      failures += 1;
      if (failures >= TELLING_FAILURES) {
        connection(false);
      }
      return Math.max(RETRY_MS, (Number(retryAfter) || 0) * 1_000);
    }
    return performance.now() - startedMs < SOON_MS ? ASK_EVERY_MS : ASK_LATER_EVERY_MS;
  };

  const turnTo = (page: string) => {
    isOver = true;
    location.replace(page);
  };

  document.addEventListener('visibilitychange', ask);
  addEventListener('online', ask);
  addEventListener('offline', () => connection(false));
  timer = setTimeout(ask, ASK_EVERY_MS);
}

/** The sign is in the page, so it needs no further answer of the server. */
function showPaid(isPaid: boolean): void {
  const sign = document.querySelector<HTMLElement>('[data-till-paid]');
  if (!isPaid || sign === null) {
    return;
  }
  sign.hidden = false;
  sign.scrollIntoView();
  announce(Array.from(sign.children, ({ textContent }) => textContent).join(' '));
  chime();
  try {
    navigator.vibrate?.([200, 100, 200]);
  } catch {
    // Not every browser lets a page do that.
  }
}

function connectionNote(): (isThere: boolean) => void {
  const note = document.querySelector<HTMLElement>('[data-connection]');
  return (isThere) => {
    const text = isThere ? '' : (note?.dataset.connection ?? '');
    // The same text again would make screen readers repeat it.
    if (note !== null && note.textContent !== text) {
      note.textContent = text;
    }
  };
}

/** A phone beside the till must not lock itself while a customer pays. */
function keepAwake(): void {
  const request = async () => {
    try {
      if (!document.hidden) {
        await navigator.wakeLock.request('screen');
      }
    } catch {
      // The battery is low, or the browser has no such lock: the seller wakes the phone.
    }
  };
  document.addEventListener('visibilitychange', request);
  void request();
}

let audio: AudioContext | null = null;

/** Two rising notes. Browsers play them if the seller has touched a page of the dashboard. */
function chime(): void {
  try {
    audio ??= new AudioContext();
    // Rejected without such a touch. The sign says it all.
    audio.resume().catch(() => undefined);
    for (const [index, hertz] of [880, 1_320].entries()) {
      const tone = new OscillatorNode(audio, { frequency: hertz });
      const volume = new GainNode(audio, { gain: 0.5 });
      const startsAt = audio.currentTime + index * 0.18;
      volume.gain.setValueAtTime(0.5, startsAt);
      volume.gain.exponentialRampToValueAtTime(0.001, startsAt + 0.5);
      tone.connect(volume).connect(audio.destination);
      tone.start(startsAt);
      tone.stop(startsAt + 0.5);
    }
  } catch {
    // No sound on this device.
  }
}

/** The seller hears how loud it is. On an iPhone, the touch lets the page play at all. */
function chimeButton(section: HTMLElement): void {
  const button = section.querySelector<HTMLElement>('[data-chime]');
  if (button !== null && 'AudioContext' in globalThis) {
    button.hidden = false;
    button.addEventListener('click', chime);
  }
}

/** Hands the address to an app of the phone. Some browsers cannot share. */
function shareButton(section: HTMLElement): void {
  const button = section.querySelector<HTMLElement>('[data-share]');
  if (button !== null && 'share' in navigator) {
    button.hidden = false;
    button.addEventListener('click', () => {
      // Rejected when the seller changes their mind.
      navigator.share({ url: button.dataset.share ?? '' }).catch(() => undefined);
    });
  }
}
