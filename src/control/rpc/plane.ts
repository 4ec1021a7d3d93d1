import type { Config } from '../../engine/config.ts';

/** What each function of the interface gets first, from the payments plane and not from its caller. */
export interface Plane {
  readonly env: Env;
  readonly ctx: Pick<ExecutionContext, 'waitUntil'>;
  readonly config: Config;
  readonly nowMs: number;
}

/** A function of D1, as the interface offers it. */
export function onDatabase<Arguments extends readonly unknown[], Result>(
  read: (db: D1Database, ...args: Arguments) => Result,
) {
  return ({ env }: Plane, ...args: Arguments): Result => read(env.DB, ...args);
}
