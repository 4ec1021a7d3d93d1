import type { Config } from '../config.ts';

/** What each function of the interface gets first, from the payments plane and not from its caller. */
export interface Plane {
  readonly env: Env;
  readonly ctx: Pick<ExecutionContext, 'waitUntil'>;
  readonly config: Config;
  readonly nowMs: number;
}
