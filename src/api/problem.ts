import { Problem } from '../http/problem.ts';

/** docs/decisions.md#8: whatever the body. */
export function duplicateProblem(uniqueId: string): Problem {
  return new Problem(409, `Duplicate key: paymentIntentUniqueId "${uniqueId}" already exists`);
}
