import { expect, test } from 'vitest';
import { Cloudflare as Client } from '../../../scripts/deployment/cloudflare.ts';
import { startCloudflare } from '../../support/cloudflare/server.ts';

/**
 * Goal: the local Cloudflare of the tests of deployments takes no call of our scripts that Cloudflare does
 * not document. Those tests hold its answers, because scripts and wrangler depend on each.
 */

const DATABASE = '/d1/database';
test.each([
  [
    'a call that none of our scripts makes',
    'POST',
    '/pipelines',
    {},
    /is not a call of our scripts/,
  ],
  ['an unknown method of a path', 'PUT', DATABASE, { name: 'a' }, /is not a call/],
  ['an unknown parameter', 'GET', `${DATABASE}?order=name`, undefined, /parameter order/],
  ['an unknown field', 'POST', DATABASE, { name: 'a', size: 1 }, /body\.size is not known/],
  ['a missing field', 'POST', DATABASE, {}, /body\.name is missing/],
  ['a field of another type', 'POST', DATABASE, { name: 1 }, /body\.name is number/],
  ['a missing body', 'POST', DATABASE, undefined, /the body is missing/],
  ['a body where none belongs', 'DELETE', `${DATABASE}/a`, {}, /the body is JSON/],
  [
    'a field inside of a list',
    'POST',
    '/workers/scripts/a/domains/changeset',
    [{ at: '1' }],
    /\[0\]\.at/,
  ],
] as const)(
  'refuses %s, and the test that made it fails',
  async (_, method, path, body, reason) => {
    const started = await startCloudflare();
    const call = { method, path: `/accounts/${started.accountId}${path}`, body };
    await expect(new Client(started.token, started.url).call(call)).rejects.toThrow(reason);
    expect(started.state.databases).toEqual([]);
    await expect(started.stop()).rejects.toThrow(reason);
  },
);
