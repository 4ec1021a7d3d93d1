import { expect, test } from 'vitest';
import type { FieldErrors } from '../../../src/kit/http/field-error.ts';
import { validationProblem } from '../../../src/kit/http/problem.ts';

/** Goal: `message` alone tells a shop's user what to correct, because plugins show nothing else. */
test.each<[FieldErrors, string]>([
  [
    { 'customerInfo.phone': 'invalid_format: Must be 9 followed by 8 digits.' },
    'customerInfo.phone: must be 9 followed by 8 digits',
  ],
  [
    {
      expireIn: 'required: Required.',
      currency: 'required: Required.',
      amount: 'required: Required.',
    },
    'expireIn: required (and 2 more)',
  ],
  [
    { 'methods[0]': 'not_enabled: M_PESA is not enabled for this merchant.' },
    'methods[0]: M_PESA is not enabled for this merchant',
  ],
])('names the first failing field and counts the others: %j', (validationErrors, message) => {
  expect(validationProblem(validationErrors)).toMatchObject({
    code: 'validation_failed',
    status: 400,
    message,
    validationErrors,
  });
});
