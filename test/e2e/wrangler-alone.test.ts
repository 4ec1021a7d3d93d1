import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { type Cloudflare, startCloudflare } from '../support/cloudflare/server.ts';

/**
 * Goal: plain `wrangler deploy` of each Worker works, as docs/deploy.md#by-hand says. Method: the commands
 * of that section run as they are against the local Cloudflare, which runs what they uploaded.
 */

const SECONDS_MAX = 900;
const PAYMENTS = 'kefel.kefel-trial.workers.dev';
const BACK_OFFICE = 'kefel-back-office.kefel-trial.workers.dev';

let cloudflare: Cloudflare;

const shell = (script: string) =>
  promisify(execFile)('bash', ['-euo', 'pipefail', '-c', `exec < /dev/null\n${script}`], {
    cwd: PROJECT_DIRECTORY,
    env: { ...process.env, npm_config_update_notifier: 'false', ...cloudflare.environment },
  });

beforeAll(async () => {
  cloudflare = await startCloudflare();
  const text = readFileSync(join(PROJECT_DIRECTORY, 'docs', 'deploy.md'), 'utf8');
  const section = text.slice(text.indexOf('<a id="by-hand"></a>\n'));
  await shell(/```sh\n(.*?)```/s.exec(section)?.[1] ?? 'exit 1');
}, SECONDS_MAX * 1_000);

afterAll(() => cloudflare.stop());

async function expectGateway(): Promise<void> {
  const keys = await cloudflare.fetch(PAYMENTS, '/api/v1/payment/webhook-keys');
  expect([keys.status, cloudflare.runtime.logs]).toEqual([200, []]);
  expect((await cloudflare.fetch(BACK_OFFICE, '/dashboard/sign-in')).status).toBe(200);
}

test('the commands of the guide make a gateway', expectGateway);

test(
  'plain wrangler deploy of each Worker keeps it',
  async () => {
    await shell('npx wrangler deploy; npx wrangler deploy -c back-office/wrangler.toml');
    expect(cloudflare.state.scripts.get('kefel')?.versions).toHaveLength(2);
    await expectGateway();
  },
  SECONDS_MAX * 1_000,
);
