import { expect, test } from 'vitest';
import { validationProblem } from '../../src/http/problem.ts';

/** Goal: `message` alone tells a shop's user what to correct, because plugins show nothing else. */
test.each([
  [
    { 'customerInfo.phone': 'Must be 9 followed by 8 digits.' },
    'customerInfo.phone: must be 9 followed by 8 digits',
  ],
  [
    { expireIn: 'Required.', currency: 'Required.', amount: 'Required.' },
    'expireIn: required (and 2 more)',
  ],
  [
    { 'methods[0]': 'M_PESA is not enabled for this merchant.' },
    'methods[0]: M_PESA is not enabled for this merchant',
  ],
])('names the first failing field and counts the others: %j', (validationErrors, message) => {
  expect(validationProblem(validationErrors)).toMatchObject({
    status: 400,
    message,
    validationErrors,
  });
});
