import { expect, test } from 'vitest';
import {
  answerOf,
  type Body,
  CREATE_PATHS,
  call,
  expressBody,
  hostedBody,
  useGateway,
} from '../support.ts';

/** Goal: real answers match each row of the published response tables. */

useGateway();

async function answer(kind: 'hosted' | 'express', body: Body) {
  const { text } = await answerOf(call(CREATE_PATHS[kind].sandbox, { method: 'POST', body }));
  return JSON.parse(text);
}

test('api.md#answers: status, message, content (hosted: the checkout URL as text)', async () => {
  expect(await answer('hosted', hostedBody({ amount: 100 }))).toEqual({
    status: 200,
    message: 'Payment intent saved successfully',
    content: expect.stringMatching(/^https?:\/\/[^/]+\/checkout\/[\w.-]+$/),
  });
});

test('api.md#express-answer: paymentUrl, transactionId, status, message, failureReason', async () => {
  expect((await answer('express', expressBody())).content).toEqual({
    paymentUrl: expect.stringMatching(/^https?:\/\//),
    transactionId: expect.stringMatching(/^[0-9A-Z]{20}$/),
    status: 'SUCCESS',
    message: expect.any(String),
    failureReason: null,
  });
});

test('api.md#errors: the fields of an error, in their order', async () => {
  const error = await answer('hosted', hostedBody({ amount: 100, currency: 'XXX' }));
  expect(Object.keys(error)).toEqual([
    'status',
    'message',
    'code',
    'validationErrors',
    'validationErrorCodes',
    'requestId',
    'docs',
  ]);
});

test('api.md#errors: status, message, validationErrors', async () => {
  expect(await answer('hosted', { ...hostedBody(), currency: 'XXX' })).toMatchObject({
    status: 400,
    message: expect.any(String),
    validationErrors: { currency: expect.any(String) },
  });
});

test('api.md#errors: status, message', async () => {
  await answer('hosted', hostedBody());
  expect(await answer('hosted', hostedBody())).toMatchObject({
    status: 409,
    message: expect.stringContaining('Duplicate key'),
  });
});
