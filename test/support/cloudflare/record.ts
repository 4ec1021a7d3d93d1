/**
 * `npm run lab -- record-cloudflare`: runs the wrangler commands that the project uses against the local
 * Cloudflare, which refuses nothing then, and writes what they asked for as the contract. To be run
 * after an update of wrangler; the difference of the file shows what wrangler now asks.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  BACK_OFFICE_CONFIG_FILE,
  PROJECT_DIRECTORY,
  WRANGLER_CONFIG_FILE,
} from '../../../scripts/project/files.ts';
import { commandLine } from '../../../scripts/project/options.ts';
import { emailBinding, readWorkerConfig } from '../../../scripts/project/worker-config.ts';
import { CONTRACT_FILE } from './contract.ts';
import { startCloudflare } from './server.ts';

const WRANGLER = createRequire(import.meta.url).resolve('wrangler');
const { version } = createRequire(import.meta.url)('wrangler/package.json');
const QUEUES = ['kefel-webhooks', 'kefel-webhook-retries', 'kefel-provider-reports'];

commandLine({
  usage: 'npm run lab -- record-cloudflare',
  about: 'Records what wrangler asks of Cloudflare, as the contract of the local Cloudflare.',
  options: {},
});

const cloudflare = await startCloudflare({ isRecording: true });
const directory = await mkdtemp(join(tmpdir(), 'kefel-record-'));

async function wrangler(...args: readonly string[]): Promise<string> {
  console.log(`wrangler ${args.join(' ')}`);
  const running = promisify(execFile)(process.execPath, ['--no-warnings', WRANGLER, ...args], {
    cwd: PROJECT_DIRECTORY,
    env: { ...process.env, ...cloudflare.environment },
  });
  // The value of `secret put`; no other command reads it.
  running.child.stdin?.end('{}');
  return (await running).stdout;
}

/** A Worker's configuration without its build step, and with other members. */
async function configuration(
  source: string,
  name: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { build: _, ...config } = await readWorkerConfig(source);
  const file = join(directory, `${name}.json`);
  await writeFile(file, JSON.stringify({ ...config, ...more }));
  return file;
}

async function secretsFile(name: string, secrets: object): Promise<string> {
  const file = join(directory, name);
  await writeFile(file, JSON.stringify(secrets));
  return file;
}

try {
  await promisify(execFile)(process.execPath, ['scripts/build-docs.ts'], {
    cwd: PROJECT_DIRECTORY,
  });
  const payments = await configuration(WRANGLER_CONFIG_FILE, 'payments');
  const backOffice = await configuration(BACK_OFFICE_CONFIG_FILE, 'back-office');
  const atDomain = await configuration(WRANGLER_CONFIG_FILE, 'payments-at-domain', {
    workers_dev: false,
    routes: [{ pattern: 'pay.example.com', custom_domain: true }],
    ...emailBinding({
      ALERT_EMAIL_FROM: 'kefel@example.com',
      ALERT_EMAIL_TO: 'on-call@example.com',
    }),
  });
  const atRoutes = await configuration(BACK_OFFICE_CONFIG_FILE, 'back-office-at-routes', {
    workers_dev: false,
    routes: ['/', '/dashboard', '/dashboard/*', '/operator', '/operator/*', '/docs', '/docs/*'].map(
      (path) => ({ pattern: `pay.example.com${path}`, zone_name: 'example.com' }),
    ),
  });
  const secrets = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, `k1:${name}`]));
  const paymentsSecrets = secrets([
    'LINK_SIGNING_KEYS',
    'DATA_ENCRYPTION_KEYS',
    'BACKUP_KEYS',
    'WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX',
    'WEBHOOK_RSA_PRIVATE_KEYS_PRODUCTION',
  ]);
  const backOfficeSecrets = secrets(['BACK_OFFICE_KEYS', 'OPERATOR_SECRETS']);

  await wrangler('whoami', '--json');
  await wrangler('whoami');
  await wrangler('d1', 'list', '--json');
  await wrangler('d1', 'create', 'kefel');
  await wrangler('d1', 'create', 'kefel-back-office', '--location', 'eeur');
  await wrangler('d1', 'create', 'kefel-eu', '--jurisdiction', 'eu');
  await wrangler('queues', 'list');
  for (const queue of QUEUES) {
    await wrangler('queues', 'create', queue);
    await wrangler('queues', 'create', `${queue}-dead`);
  }
  await wrangler('r2', 'bucket', 'list');
  await wrangler('r2', 'bucket', 'create', 'kefel-backups');
  await wrangler('r2', 'bucket', 'create', 'kefel-near', '--location', 'eeur');
  await wrangler('r2', 'bucket', 'create', 'kefel-eu', '--jurisdiction', 'eu');

  for (const [database, config] of [
    ['kefel', payments],
    ['kefel-back-office', backOffice],
  ] as const) {
    await wrangler('d1', 'migrations', 'list', database, '--remote', '-c', config);
    await wrangler('d1', 'migrations', 'apply', database, '--remote', '-c', config);
  }
  await wrangler(
    'd1',
    'execute',
    'kefel',
    '--remote',
    '--json',
    '--command',
    'SELECT 1 AS one',
    '-c',
    payments,
  );
  await wrangler('d1', 'time-travel', 'info', 'kefel', '--json', '-c', payments);

  const paymentsFile = await secretsFile('payments-secrets.json', paymentsSecrets);
  const backOfficeFile = await secretsFile('back-office-secrets.json', backOfficeSecrets);
  const workers = [
    [payments, paymentsFile],
    [backOffice, backOfficeFile],
  ] as const;
  await wrangler('secret', 'list', '-c', payments).catch(() => undefined);
  // A new Worker gets its secrets with the first deployment, or before it as a draft.
  for (const [config, file] of workers) {
    await wrangler('deploy', '-c', config, '--secrets-file', file);
  }
  cloudflare.state.scripts.clear();
  for (const [config, file] of workers) {
    await wrangler('secret', 'bulk', file, '-c', config);
    // A version cannot make the classes of objects, but shows all bindings.
    await wrangler('versions', 'upload', '-c', config).catch(() => undefined);
    await wrangler('deploy', '-c', config);
  }
  await wrangler('secret', 'list', '-c', payments);
  const bulk = await secretsFile('more.json', {
    RAIL_M_PESA_SANDBOX: '{}',
    LINK_SIGNING_KEYS: 'k2:b',
  });
  await wrangler('secret', 'bulk', bulk, '-c', payments);
  await wrangler('secret', 'put', 'RAIL_M_PESA_SANDBOX', '-c', payments);
  await wrangler('secret', 'delete', 'RAIL_M_PESA_SANDBOX', '-c', payments);
  await wrangler('deploy', '-c', payments, '--message', 'again', '--tag', 'v2');
  await wrangler('deploy', '-c', atDomain, '--tag', 'v2');
  await wrangler('deploy', '-c', atRoutes, '--message', 'at routes');
  await wrangler('triggers', 'deploy', '-c', atDomain);

  await wrangler('versions', 'upload', '-c', atDomain);
  await wrangler('versions', 'upload', '-c', payments, '--tag', 'v3', '--message', 'newer');
  await wrangler('versions', 'upload', '-c', backOffice, '--tag', 'v3', '--message', 'newer');
  await wrangler('versions', 'list', '--json', '-c', payments);
  const [older, newer] = (cloudflare.state.scripts.get('kefel')?.versions ?? []).slice(-2);
  await wrangler('versions', 'view', String(newer?.id), '--json', '-c', payments);
  for (const shares of [[`${newer?.id}@10%`, `${older?.id}@90%`], [`${newer?.id}@100%`]]) {
    await wrangler('versions', 'deploy', ...shares, '-y', '--message', 'step', '-c', payments);
  }
  await wrangler(
    'versions',
    'deploy',
    `${newer?.id}@0%`,
    `${older?.id}@100%`,
    '-y',
    '-c',
    payments,
  );
  await wrangler('deployments', 'list', '--json', '-c', payments);
  await wrangler('deployments', 'status', '--json', '-c', payments);
  await wrangler('rollback', String(older?.id), '-y', '--message', 'back', '-c', payments);

  for (const queue of QUEUES) {
    await wrangler('queues', 'consumer', 'remove', queue, 'kefel');
    await wrangler('queues', 'consumer', 'remove', `${queue}-dead`, 'kefel');
  }
  await wrangler('delete', '--force', '-c', backOffice);
  await wrangler('delete', '--force', '-c', payments);
  for (const queue of QUEUES) {
    await wrangler('queues', 'delete', queue);
    await wrangler('queues', 'delete', `${queue}-dead`);
  }
  await wrangler('d1', 'delete', 'kefel', '-y');
  await wrangler('r2', 'bucket', 'delete', 'kefel-backups');
  await cloudflare.stop();
} catch (error) {
  console.error(cloudflare.refusals.join('\n'), cloudflare.calls.slice(-12));
  await cloudflare.stop().catch(() => undefined);
  throw error;
} finally {
  await rm(directory, { recursive: true, force: true });
}

const calls = Object.fromEntries(
  Object.entries(cloudflare.contract()).sort(([one], [other]) => one.localeCompare(other)),
);
await writeFile(CONTRACT_FILE, `${JSON.stringify({ wrangler: version, calls }, null, 1)}\n`);
console.log(`Wrote ${Object.keys(calls).length} calls to ${CONTRACT_FILE}`);
