import { AMOUNT_MUTANTS } from './amounts.ts';
import { BOUNDARY_MUTANTS } from './boundaries.ts';
import { DOMAIN_MUTANTS, REFUND_MUTANTS } from './domain.ts';
import type { Mutant } from './mutant.ts';
import { CONSUMER_MUTANTS, INTENT_MUTANTS } from './shell.ts';

/** Every planted bug. */
export const MUTANTS: readonly Mutant[] = [
  ...DOMAIN_MUTANTS,
  ...REFUND_MUTANTS,
  ...INTENT_MUTANTS,
  ...CONSUMER_MUTANTS,
  ...BOUNDARY_MUTANTS,
  ...AMOUNT_MUTANTS,
];
