import type { Source, Standing } from './standing.ts';

/** What the object of the alerts looks at itself, every few minutes. */
export interface Look {
  readonly source: Extract<Source, `look/${string}`>;
  /** Null: it cannot be said now, so what was said before still stands. */
  readonly standings: readonly Standing[] | null;
}

/** Looks at everything that reports nothing by itself. Never throws. */
export async function lookAround(_env: Env, _nowMs: number): Promise<readonly Look[]> {
  return [];
}
