import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { unstable_readConfig } from 'wrangler';
import {
  deploymentFile,
  parseDeployment,
  readDeployment,
  requireDeployment,
  writeDeployment,
} from '../../../scripts/deployment/deployment-file.ts';
import { createKeys, keyIdAt, secretsOf, secretVersion } from '../../../scripts/deployment/keys.ts';
import { checkDeploymentName, nameIn, namespaceIn } from '../../../scripts/deployment/names.ts';
import { createRecoveryKey, fingerprintOf } from '../../../scripts/deployment/recovery-key.ts';
import {
  BACK_OFFICE_PATHS,
  renderedDirectory,
  renderWorkers,
  resourcesOf,
  writeWorkerConfigs,
} from '../../../scripts/deployment/render.ts';
import { WRANGLER_CONFIG_FILE } from '../../../scripts/project/files.ts';
import { readWorkerConfig } from '../../../scripts/project/worker-config.ts';
import { commandOf, quoted } from '../../../scripts/setup/terminal.ts';
import { keyRing, strongKeyRing } from '../../../src/engine/config.ts';
import { importPrivateKey } from '../../../src/engine/webhooks/sign.ts';
import { plainQueueName } from '../../../src/kit/platform/queue-name.ts';
import { deploymentFixture } from '../../support/deployment.ts';

/**
 * Goal: one file says what a deployment is, without its secrets, and both Workers' configurations
 * follow from it. Method: the file is written, read and damaged; configurations are compared with the
 * two wrangler.toml; secrets are made from a recovery key and read as the gateway reads them.
 */

const SERVICE_ID = '0193e0f0-9b1c-7cc2-8b56-0d1f5a3c7e21';

const emptyDirectory = () => mkdtemp(join(tmpdir(), 'kefel-deployments-'));

describe('the deployment file', () => {
  test('is read as it was written', async () => {
    const directory = await emptyDirectory();
    expect(await readDeployment('staging', directory)).toBeNull();
    await writeDeployment('staging', deploymentFixture(), directory);
    expect(await readDeployment('staging', directory)).toEqual(deploymentFixture());
  });

  test('is asked for by the command that makes it, when it is missing', async () => {
    const directory = await emptyDirectory();
    await expect(requireDeployment('staging', directory)).rejects.toThrow(
      /there is no .*staging\.json: run `npm run setup` first/,
    );
  });

  const text = (changes: object) => JSON.stringify({ ...deploymentFixture(), ...changes });

  test.each([
    ['{', 'x.json is not JSON'],
    [text({ jurisdiction: 'et' }), 'jurisdiction: Invalid type: Expected ("" | "eu")'],
    [text({ locationHint: 'addis' }), 'locationHint: Invalid type'],
    [text({ unknown: 1 }), 'unknown: Invalid key'],
    [
      text({ addresses: { payments: 'http://pay.example.com', backOffice: 'https://b.example' } }),
      'addresses.payments: must be an address such as https://pay.example.com',
    ],
    [
      text({ operators: [{ name: 'Sara:x', keyId: 'k1' }] }),
      'operators.0.name: must be a name without , or :',
    ],
    [
      text({ keys: { ...deploymentFixture().keys, BACKUP_KEYS: ['a:b'] } }),
      'keys.BACKUP_KEYS.0: must be 1 to 16 letters and digits',
    ],
    [
      text({ vpcServices: { ASSETS: SERVICE_ID } }),
      'vpcServices.ASSETS: must be the name of a binding: VPC_',
    ],
    [
      text({ vpcServices: { VPC_ETHIO: 'ethio' } }),
      "vpcServices.VPC_ETHIO: must be a VPC service's id, a UUID",
    ],
  ])('is refused with its field as %.30s', (content, message) => {
    expect(() => parseDeployment(content, 'x.json')).toThrow(message);
  });

  test.each(['Staging', '../x', '', 'a'.repeat(21), 'x-', '1st', 'dead'])(
    'is refused under the name "%s"',
    (name) => {
      expect(() => deploymentFile(name)).toThrow('cannot name a deployment');
    },
  );
});

describe('names', () => {
  test('are those of wrangler.toml in production, and end in the deployment elsewhere', () => {
    expect(nameIn('production', 'kefel')).toBe('kefel');
    expect(nameIn('staging', 'kefel-webhooks-dead')).toBe('kefel-webhooks-dead-staging');
    expect(checkDeploymentName('trial-2')).toBe('trial-2');
    expect(plainQueueName('kefel-webhooks-dead-staging')).toBe('kefel-webhooks-dead');
    expect(plainQueueName('kefel-webhooks-deadline')).toBe('kefel-webhooks');
  });

  test('give each deployment rate limits of its own', () => {
    expect(namespaceIn('production', '1001')).toBe('1001');
    const ids = ['staging', 'trial'].flatMap((name) =>
      ['1001', '1103'].map((id) => namespaceIn(name, id)),
    );
    expect(new Set(ids).size).toBe(4);
    expect(ids.every((id) => /^[1-9]\d{8}$/.test(id))).toBe(true);
  });
});

describe('rendered configurations', () => {
  test('keep all that wrangler.toml says and the deployment does not change', async () => {
    const { payments } = await renderWorkers('production', deploymentFixture());
    const source = await readWorkerConfig(WRANGLER_CONFIG_FILE);
    const { vars, build, routes: _routes, account_id: _id, workers_dev: _dev, ...rest } = payments;
    const { vars: _vars, build: _build, workers_dev: _sourceDev, ...sourceRest } = source;
    expect(rest).toEqual(sourceRest);
    expect(build).toEqual({ ...source.build, cwd: expect.stringMatching(/^\//) });
    expect(vars).toMatchObject({
      ...source.vars,
      PUBLIC_BASE_URL: 'https://pay.example.com',
      BACK_OFFICE_BASE_URL: 'https://office.example.com',
      OBJECT_LOCATION_HINT: 'afr',
    });
  });

  test('name everything after another deployment, so that the two share nothing', async () => {
    const staging = await renderWorkers('staging', deploymentFixture());
    const production = await renderWorkers('production', deploymentFixture());
    for (const plane of ['payments', 'backOffice'] as const) {
      const names = namesIn(staging[plane]);
      expect(names.length).toBeGreaterThan(3);
      expect(names.filter((name) => namesIn(production[plane]).includes(name))).toEqual([]);
    }
    expect(staging.backOffice.services?.[0]?.service).toBe(staging.payments.name);
  });

  test('give two hosts a custom domain each', async () => {
    const { payments, backOffice } = await renderWorkers('production', deploymentFixture());
    expect(payments).toMatchObject({
      workers_dev: false,
      routes: [{ pattern: 'pay.example.com', custom_domain: true }],
    });
    expect(backOffice.routes).toEqual([{ pattern: 'office.example.com', custom_domain: true }]);
    expect(backOffice.vars?.PAYMENTS_BASE_URL).toBe('https://pay.example.com');
  });

  test('give the back office the more specific routes of a shared host', async () => {
    const address = 'https://pay.example.com';
    const { payments, backOffice } = await renderWorkers(
      'production',
      deploymentFixture({ addresses: { payments: address, backOffice: address } }),
    );
    expect(payments.routes).toEqual([{ pattern: 'pay.example.com', custom_domain: true }]);
    expect(backOffice.routes).toEqual(
      BACK_OFFICE_PATHS.map((path) => ({
        pattern: `pay.example.com${path}`,
        zone_name: 'example.com',
      })),
    );
    expect(payments.vars?.BACK_OFFICE_BASE_URL).toBe('');
    expect(backOffice.vars).toMatchObject({ PUBLIC_BASE_URL: address, PAYMENTS_BASE_URL: '' });
  });

  test('use workers.dev without a zone', async () => {
    const { payments, backOffice } = await renderWorkers(
      'staging',
      deploymentFixture({ zones: null }),
    );
    for (const config of [payments, backOffice]) {
      expect(config).toMatchObject({ workers_dev: true });
      expect(config).not.toHaveProperty('routes');
    }
  });

  test('give the payments Worker, and no other, the bindings into private networks', async () => {
    const directory = await emptyDirectory();
    const deployment = deploymentFixture({ vpcServices: { VPC_ETHIO: SERVICE_ID } });
    await writeDeployment('staging', deployment, directory);
    const stored = await requireDeployment('staging', directory);
    const { payments, backOffice } = await writeWorkerConfigs('staging', stored, directory);
    const bindings = [{ binding: 'VPC_ETHIO', service_id: SERVICE_ID }];
    // What wrangler itself reads in the file that it uploads.
    const read = unstable_readConfig({ config: payments.uploadFile });
    expect(read.vpc_services).toEqual(bindings);
    expect(backOffice.config).not.toHaveProperty('vpc_services');
    await rm(renderedDirectory('staging', directory), { recursive: true });
  });

  test('set variables of the deployment, and refuse one that no Worker has', async () => {
    const set = (payments: Record<string, string>) =>
      renderWorkers('staging', deploymentFixture({ variables: { payments, backOffice: {} } }));
    expect((await set({ REFUND_COMMISSION: 'keep' })).payments.vars?.REFUND_COMMISSION).toBe(
      'keep',
    );
    await expect(set({ REFUND_COMISSION: 'keep' })).rejects.toThrow('cannot set REFUND_COMISSION');
    await expect(set({ constructor: 'keep' })).rejects.toThrow('cannot set constructor');
    // Objects of another jurisdiction would be other objects: all payments would be gone.
    await expect(set({ OBJECT_JURISDICTION: 'eu' })).rejects.toThrow(
      'cannot set OBJECT_JURISDICTION',
    );
  });

  test('send alerts by e-mail as soon as both addresses are set', async () => {
    const from = { ALERT_EMAIL_FROM: 'kefel@example.com' };
    const bindingOf = async (payments: Record<string, string>) => {
      const variables = { payments, backOffice: {} };
      return (await renderWorkers('staging', deploymentFixture({ variables }))).payments.send_email;
    };
    expect(await bindingOf(from)).toBeUndefined();
    expect(await bindingOf({ ...from, ALERT_EMAIL_TO: 'hana@example.com' })).toEqual([
      {
        name: 'ALERT_EMAIL',
        destination_address: 'hana@example.com',
        allowed_sender_addresses: ['kefel@example.com'],
      },
    ]);
  });

  test('write to merchants by e-mail as soon as the sender is set', async () => {
    const variables = { payments: { MESSAGE_EMAIL_FROM: 'kefel@example.com' }, backOffice: {} };
    const { payments } = await renderWorkers('staging', deploymentFixture({ variables }));
    expect(payments.send_email).toEqual([
      { name: 'MESSAGE_EMAIL', allowed_sender_addresses: ['kefel@example.com'] },
    ]);
  });

  test('leave the bucket out without backups, and give it the jurisdiction otherwise', async () => {
    const without = await renderWorkers('staging', deploymentFixture({ hasBackups: false }));
    expect(without.payments).not.toHaveProperty('r2_buckets');
    const inEurope = await renderWorkers('staging', deploymentFixture({ jurisdiction: 'eu' }));
    expect(inEurope.payments.r2_buckets?.[0]?.jurisdiction).toBe('eu');
  });

  test('are written for wrangler, and name what the account needs', async () => {
    const rendered = await writeWorkerConfigs('unit-test', deploymentFixture());
    expect(JSON.parse(await readFile(rendered.payments.file, 'utf8'))).toEqual(
      rendered.payments.config,
    );
    expect(resourcesOf(rendered)).toEqual({
      databases: ['kefel-unit-test', 'kefel-back-office-unit-test'],
      queues: expect.arrayContaining(['kefel-provider-reports-dead-unit-test']),
      bucket: 'kefel-backups-unit-test',
    });
    expect(resourcesOf(rendered).queues).toHaveLength(6);
  });
});

/** All names of an account's resources in a configuration. */
function namesIn(config: Awaited<ReturnType<typeof renderWorkers>>['payments']) {
  return [
    config.name,
    ...(config.d1_databases ?? []).map((it) => it.database_name),
    ...(config.r2_buckets ?? []).map((it) => it.bucket_name),
    ...(config.queues?.producers ?? []).map((it) => it.queue),
    ...(config.queues?.consumers ?? []).flatMap((it) => [
      it.queue,
      it.dead_letter_queue ?? it.queue,
    ]),
    ...(config.ratelimits ?? []).map((it) => it.namespace_id),
    ...(config.services ?? []).map((it) => it.service),
  ];
}

describe('secrets of a deployment', async () => {
  const recoveryKey = createRecoveryKey();
  const deployment = deploymentFixture({
    recoveryKey: fingerprintOf(recoveryKey),
    keys: await createKeys(recoveryKey, keyIdAt(new Date('2026-11-27T01:00:00Z'))),
  });

  test('are rings that the gateway accepts, the same whenever they are made', async () => {
    const secrets = await secretsOf(deployment, recoveryKey);
    for (const name of [
      'LINK_SIGNING_KEYS',
      'DATA_ENCRYPTION_KEYS',
      'BACKUP_KEYS',
      'BACK_OFFICE_KEYS',
    ] as const) {
      expect(strongKeyRing(name, secrets[name])[0].keyId).toBe('k20261127010000');
      expect(secretVersion(deployment, name)).toBe('k20261127010000');
    }
    const [rsa] = keyRing('RSA', secrets.WEBHOOK_RSA_PRIVATE_KEYS_PRODUCTION);
    expect((await importPrivateKey(rsa, false)).type).toBe('private');
    expect(secrets.OPERATOR_SECRETS).toMatch(/^Sara:sha256-[0-9a-f]{64}$/);
    expect(await secretsOf(deployment, recoveryKey)).toEqual(secrets);
  });

  test('are nowhere in the file', async () => {
    const text = JSON.stringify(deployment);
    const values = Object.values(await secretsOf(deployment, recoveryKey));
    const keys = values.map((value) => value.slice(value.indexOf(':') + 1));
    expect(keys.filter((key) => text.includes(key))).toEqual([]);
  });

  test('are refused under the recovery key of another deployment', async () => {
    await expect(secretsOf(deployment, createRecoveryKey())).rejects.toThrow(
      'the recovery key of another deployment',
    );
  });

  test('are refused when an RSA key was moved to the other ring', async () => {
    const { keys } = deployment;
    const moved = {
      ...keys,
      WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX: keys.WEBHOOK_RSA_PRIVATE_KEYS_PRODUCTION,
    };
    await expect(secretsOf({ ...deployment, keys: moved }, recoveryKey)).rejects.toThrow(
      'does not open the key k20261127010000 of WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX',
    );
  });
});

describe('a printed command', () => {
  test('gives a shell each word as it was', () => {
    const words = ['Sara "S" Abebe', "N'Dour", '$HOME `id` $(id)', 'a\\b!c', '~/x', '*', ''];
    const script = `printf '%s\\n' ${words.map(quoted).join(' ')}`;
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(`${words.join('\n')}\n`);
  });

  test('names its deployment, although KEFEL_ENV chose it, and keeps the other options', () => {
    const args = ['--wait', '600', '--migrate'];
    const command = commandOf('deploy', 'staging', ['--migrate'], args);
    expect(command).toBe('npm run deploy -- --wait 600 --env staging');
    expect(commandOf('deploy', 'trial', [], ['--env=trial'])).toBe('npm run deploy -- --env=trial');
  });
});
