import type { Source, Standing } from '../../engine/alerts/standing.ts';

/** What the object of the alerts looks at itself, every few minutes. */
export interface Look {
  readonly source: Exclude<Source, `book/${string}`>;
  /** Null: it cannot be said now, so what was said before still stands. */
  readonly standings: readonly Standing[] | null;
}

/** Looks at everything that reports nothing by itself. Never throws. */
export type LookAround = (env: Env, nowMs: number) => Promise<readonly Look[]>;
