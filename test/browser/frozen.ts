import type { BrowserContext, BrowserContextOptions, Page, Route } from 'playwright-core';
import type { Language } from '../../src/kit/i18n/language.ts';
import { PHONE } from '../support/browser.ts';
import type { GalleryState } from '../support/gallery.ts';
import { type Stage, visit } from './support.ts';

/**
 * A page whose clock the test controls, with a gateway that answers what the test defines. Hours of
 * waiting pass at once, exact to the millisecond.
 */
export interface FrozenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The gateway's answer from now on. */
  answer(next: StatusAnswer): void;
  /** Advances the clock; every poll is answered at once. */
  pass(milliseconds: number): Promise<void>;
  /** The same in one jump, like a sleeping device: each timer fires at most once. */
  leap(milliseconds: number): Promise<void>;
  /** The times of the polls, in milliseconds since the page loaded. */
  asked(): Promise<readonly number[]>;
}

export interface StatusAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Defaults to the page's own state. */
  readonly state?: string;
  readonly remainingMs?: number | null;
  /** Replaces the gateway's whole answer. */
  readonly body?: string;
  /** The gateway never answers. */
  readonly isLost?: boolean;
}

export interface FrozenOptions {
  readonly language?: Language;
  readonly device?: BrowserContextOptions;
  /** The error of the device's clock. */
  readonly clockErrorMs?: number;
}

/** What `recordPolls` stores in the page. */
interface Polls {
  readonly askedAtMs: number[];
  answeredCount: number;
}

/** All delays of the page's script are multiples of it, so nothing is due within a step. */
const STEP_MS = 500;
const SECOND_MS = 1_000;

export async function openFrozen(
  stage: Stage,
  state: GalleryState,
  { language = 'en', device = PHONE, clockErrorMs = 0 }: FrozenOptions = {},
): Promise<FrozenPage> {
  const context = await stage.context(device);
  const startMs = Date.now() + clockErrorMs;
  // An installed clock runs until it is paused and never goes back, so it is installed in the past.
  await context.clock.install({ time: startMs - SECOND_MS });
  await context.clock.pauseAt(startMs);
  await context.addInitScript(recordPolls);
  let answer: StatusAnswer = {};
  await context.route('**/status', async (route) => {
    try {
      await fulfil(route, answer);
    } catch (error) {
      // The test has ended and closed the page during its last poll.
      if (!route.request().frame().page().isClosed()) {
        throw error;
      }
    }
  });
  const page = await visit(context, state, language);

  const isAnswered = () => {
    const { polls } = globalThis as unknown as { polls: Polls };
    return polls.answeredCount === polls.askedAtMs.length;
  };
  const answered = async () => {
    // Usually true at once, so the first check does not wait for the next frame.
    if (!(await page.evaluate(isAnswered))) {
      await page.waitForFunction(isAnswered);
    }
  };
  return {
    page,
    context,
    answer: (next) => {
      answer = next;
    },
    pass: async (milliseconds) => {
      await answered();
      for (let left = milliseconds; left > 0; left -= STEP_MS) {
        await context.clock.runFor(Math.min(left, STEP_MS));
        await answered();
      }
    },
    leap: async (milliseconds) => {
      await context.clock.fastForward(milliseconds);
      await answered();
    },
    // To the nearest 10 ms: the clock may run for a millisecond before it stops.
    asked: () =>
      page.evaluate(() =>
        (globalThis as unknown as { polls: Polls }).polls.askedAtMs.map(
          (atMs) => Math.round(atMs / 10) * 10,
        ),
      ),
  };
}

/** Runs in the page, before its own script. */
function recordPolls(): void {
  const polls: Polls = { askedAtMs: [], answeredCount: 0 };
  Object.assign(globalThis, { polls });
  // No jitter, so tests know when to expect a poll.
  Math.random = () => 0;
  const startedMs = performance.now();
  const fetchTruly = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    polls.askedAtMs.push(Math.round(performance.now() - startedMs));
    try {
      const response = await fetchTruly(input, init);
      // Read completely here, so the page's script does not wait for the rest.
      const { status, headers } = response;
      return new Response(await response.text(), { status, headers });
    } finally {
      // A message event comes after all promises, so after the script has handled its answer.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        polls.answeredCount += 1;
      };
      port2.postMessage(null);
    }
  };
}

async function fulfil(route: Route, answer: StatusAnswer): Promise<void> {
  if (answer.isLost) {
    await route.abort('internetdisconnected');
    return;
  }
  const { status = 200, headers = {}, remainingMs = null } = answer;
  const own = await route.request().frame().locator('body').getAttribute('data-state');
  const body = answer.body ?? JSON.stringify({ state: answer.state ?? own, remainingMs });
  await route.fulfill({ status, headers, contentType: 'application/json', body });
}
