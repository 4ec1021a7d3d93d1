import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { Cloudflare as Client } from '../../scripts/deployment/cloudflare.ts';
import { CONTRACT_FILE } from '../support/cloudflare/contract.ts';
import { startCloudflare } from '../support/cloudflare/server.ts';

/**
 * Goal: the local Cloudflare of the tests of deployments takes only the calls that wrangler makes.
 * Those tests hold its answers, because scripts and wrangler depend on each.
 */

test('the contract was recorded from the installed wrangler', () => {
  const recorded = JSON.parse(readFileSync(CONTRACT_FILE, 'utf8')).wrangler;
  const installed = createRequire(import.meta.url)('wrangler/package.json').version;
  expect(recorded, 'run `npm run lab -- record-cloudflare`').toBe(installed);
});

const DATABASE = '/d1/database';
test.each([
  ['a call that was not recorded', 'POST', '/pipelines', {}, /is not a call that was recorded/],
  ['an unknown method of a path', 'PUT', DATABASE, { name: 'a' }, /is not a call/],
  ['an unknown parameter', 'GET', `${DATABASE}?order=name`, undefined, /parameter order/],
  ['an unknown field', 'POST', DATABASE, { name: 'a', size: 1 }, /body\.size is not known/],
  ['a missing field', 'POST', DATABASE, {}, /body\.name is missing/],
  ['a field of another type', 'POST', DATABASE, { name: 1 }, /body\.name is number/],
  ['a missing body', 'POST', DATABASE, undefined, /the body is missing/],
  ['a body where none belongs', 'DELETE', `${DATABASE}/a`, {}, /the body is JSON/],
  ['a field inside of a list', 'PUT', '/workers/scripts/a/schedules', [{ at: '1' }], /\[0\]\.at/],
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
