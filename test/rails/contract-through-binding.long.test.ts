import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { type Reply, StandInServer } from '../../scripts/stand-ins/stand-in.ts';
import { callRail, NO_ANSWER } from '../../src/engine/rails/call-rail.ts';
import { playContract } from '../support/rails/contract.ts';
import { addressInNetwork, startPrivateNetwork } from '../support/rails/private-network.ts';
import { playRefundContract } from '../support/rails/refund-contract.ts';

/**
 * Goal: a rail whose secret names a binding (docs/network.md) calls its provider through it and
 * in no other way, and keeps its contract. Method: the contracts of all rails once more, with provider
 * addresses that only the other end of the binding knows; and single calls in workerd, which must end
 * as calls over the internet do.
 */

const network = await startPrivateNetwork();
afterAll(() => network.stop());

describe('through a binding', () => {
  playContract(network.way);
  playRefundContract(network.way);
});

describe('a call in workerd', () => {
  const servers: StandInServer[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });

  async function server(reply: Reply): Promise<StandInServer> {
    const started = await StandInServer.start(async () => reply);
    servers.push(started);
    return started;
  }

  /** What the server answers, over the internet and through the binding. */
  async function answers(url: string, timeoutMs: number) {
    const request = { method: 'POST', headers: { 'x-own': 'kept' }, body: 'order' } as const;
    const inside = { url: addressInNetwork(url), request, timeoutMs };
    return [await callRail({}, url, request, timeoutMs), await network.callRail(inside)];
  }

  const ENOUGH_MS = 60_000;

  test('carries request and answer', async () => {
    const { baseUrl, calls } = await server({ type: 'answer', status: 418, body: 'tea' });
    const answer = { status: 418, text: 'tea' };
    expect(await answers(`${baseUrl}/path?q=1`, ENOUGH_MS)).toEqual([answer, answer]);
    const call = { method: 'POST', url: '/path?q=1', body: 'order' };
    expect(calls).toMatchObject([call, call]);
    expect(calls.map(({ headers }) => headers['x-own'])).toEqual(['kept', 'kept']);
  });

  test('follows no redirect', async () => {
    const target = await server({ type: 'answer', status: 200, body: 'elsewhere' });
    const headers = { location: addressInNetwork(target.baseUrl) };
    const { baseUrl } = await server({ type: 'answer', status: 307, headers, body: '' });
    const answer = { status: 307, text: '' };
    expect(await answers(baseUrl, ENOUGH_MS)).toEqual([answer, answer]);
    expect(target.calls).toEqual([]);
  });

  test('ends at its time limit', async () => {
    const { baseUrl } = await server({ type: 'hang' });
    expect(await answers(baseUrl, 50)).toEqual([NO_ANSWER, NO_ANSWER]);
  });

  test('has no answer from a server whose TLS is wrong, which gets no request', async () => {
    const { baseUrl, calls } = await server({ type: 'answer', status: 200, body: 'paid' });
    const url = baseUrl.replace('http:', 'https:');
    expect(await answers(url, ENOUGH_MS)).toEqual([NO_ANSWER, NO_ANSWER]);
    expect(calls).toEqual([]);
  });

  test('has no answer without a server', async () => {
    expect(await answers('http://localhost:9', ENOUGH_MS)).toEqual([NO_ANSWER, NO_ANSWER]);
  });
});
