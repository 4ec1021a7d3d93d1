import type { Fault } from '../../../scripts/stand-ins/stand-in.ts';

/** What can go wrong with a call, and how often the provider carries it out nevertheless. */
export const CALL_FAULTS: readonly (readonly [fault: Fault, carriedOut: number])[] = [
  ['http_500', 0],
  ['reset', 0],
  ['hang', 0],
  ['truncated', 1],
  ['accepted_then_reset', 1],
  ['accepted_then_hang', 1],
];
