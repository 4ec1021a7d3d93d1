import { prepareMany } from './work.ts';

const PACE_UNITS = 100;
const STORM_MARGIN_MS = 6_000;

/**
 * A full second after which so many units can be prepared, also on a slow disk. Creates a few to
 * learn the pace; `create` creates one.
 */
export async function stormTime(units: number, create: () => Promise<unknown>): Promise<number> {
  const beganAtMs = performance.now();
  await prepareMany(PACE_UNITS, create);
  const expectedMs = ((performance.now() - beganAtMs) / PACE_UNITS) * units;
  const atMs = Date.now() + 2 * expectedMs + STORM_MARGIN_MS;
  return Math.ceil(atMs / 1_000) * 1_000;
}
