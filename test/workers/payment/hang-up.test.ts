import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import worker from '../../support/gateway.ts';
import { attemptNow, CARDS, configureRails, openHosted, slowRail } from '../rails/support.ts';
import { ALPHA, CREATE_PATHS, expressBody, ORIGIN, useGateway } from '../support.ts';

/**
 * Goal: a client that hangs up ends its request, but not the charge that it started. Method: the provider
 * holds its answer; the Worker must have asked the runtime to wait for the charge.
 */

configureRails({ RAIL_ETS_SWITCH_PRODUCTION: CARDS });
useGateway();

/** Sends a request; returns the number of promises that the runtime still has to wait for. */
function send(path: string, init: RequestInit) {
  let pending = 0;
  const ctx: unknown = {
    waitUntil: (promise: Promise<unknown>) => {
      pending += 1;
      const settled = () => {
        pending -= 1;
      };
      void promise.then(settled, settled);
    },
    passThroughOnException: () => undefined,
  };
  const request = new Request(`${ORIGIN}${path}`, init);
  const answered = worker.fetch(
    request as Parameters<typeof worker.fetch>[0],
    env,
    ctx as ExecutionContext,
  );
  return { answered, pending: () => pending };
}

const express = async () =>
  send(CREATE_PATHS.express.production, {
    method: 'POST',
    headers: { apiKey: ALPHA.apiKeys.production, 'content-type': 'application/json' },
    body: JSON.stringify(expressBody({ method: 'ETS_SWITCH' })),
  });

const hosted = async () =>
  send(`${await openHosted()}/attempts`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ method: 'ETS_SWITCH', attempts: '0' }).toString(),
  });

test.each([
  ['an express charge', express],
  ['an attempt on the page', hosted],
])('promises.md#4: the runtime waits for %s', async (_name, start) => {
  const rail = slowRail();
  const { answered, pending } = await start();
  await rail.isCalled();
  await expect.poll(() => pending()).toBe(1);
  rail.timesOut();
  await answered;
  await expect.poll(() => pending()).toBe(0);
  expect(await attemptNow()).toMatchObject({ status: 'processing' });
});
