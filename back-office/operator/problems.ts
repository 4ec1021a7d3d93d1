import { OPERATION_PROBLEMS } from '../../src/control/operator/problems.ts';
import { problemsOf } from '../../src/kit/http/problem.ts';
import type { ProblemEntry } from '../../src/kit/http/problems.ts';

/** Every error that only the operator's API has, by its code, besides those that all APIs share. */
export const OPERATOR_PROBLEMS = {
  credentials_missing: { status: 401, message: 'Bearer authorization is missing' },
  operator_secret_invalid: { status: 401, message: 'Invalid secret' },
  access_token_invalid: {
    status: 401,
    message: 'The token of Cloudflare Access is missing or not valid',
  },
  access_keys_unavailable: {
    status: 503,
    message: 'The keys of Cloudflare Access are temporarily unavailable',
  },
  operator_name_invalid: {
    status: 400,
    message: "The operator's name (x-operator) must be 1 to {charactersMax} printable characters",
  },
  merchant_suspended: {
    status: 409,
    message: 'The merchant is suspended, so the link would not work. Reactivate the merchant first',
  },
  ...OPERATION_PROBLEMS,
} as const satisfies Record<string, ProblemEntry>;

export type OperatorProblemCode = keyof typeof OPERATOR_PROBLEMS;

/** A problem of the operator's API with its placeholders filled in. */
export const operatorProblem = problemsOf(OPERATOR_PROBLEMS);
