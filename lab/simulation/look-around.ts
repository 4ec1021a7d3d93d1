import type { LookAround } from '../../src/control/alerts/looks.ts';

/**
 * Takes the place of `src/control/watch/look-around.ts` in the bundle: histories have no operator who is told,
 * and its looks at every part of the gateway would make the bundle much larger.
 */
export const lookAround: LookAround = async () => [];
