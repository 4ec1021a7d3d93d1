import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeDeployment } from '../../../scripts/deployment/deployment-file.ts';
import { secretsOf } from '../../../scripts/deployment/keys.ts';
import { createRecoveryFile } from '../../../scripts/deployment/recovery-file.ts';
import { parseRecoveryKey } from '../../../scripts/deployment/recovery-key.ts';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';
import { type SetupScene, setupScene } from '../../support/setup-scene.ts';

/**
 * Goal: setup ends in the same gateway from every state of the account and after every failure, and says
 * in plain words what to do. Method: setup runs in this process against the local Cloudflare, without
 * wrangler; test/e2e/setup.test.ts runs it whole.
 */

const DATABASES = ['kefel', 'kefel-back-office'];

/** What every finished setup has made, and nothing twice. */
async function expectGateway({ cloudflare, ...scene }: SetupScene): Promise<void> {
  const { state } = cloudflare;
  expect(state.databases.map(({ name }) => name).sort()).toEqual(DATABASES);
  expect(state.queues.map(({ queue_name }) => queue_name).sort()).toEqual([
    'kefel-provider-reports',
    'kefel-provider-reports-dead',
    'kefel-webhook-retries',
    'kefel-webhook-retries-dead',
    'kefel-webhooks',
    'kefel-webhooks-dead',
  ]);
  expect(state.queues.every(({ consumers }) => consumers.length === 1)).toBe(true);
  expect(state.buckets.map(({ name }) => name)).toEqual(['kefel-backups']);
  const recoveryKey = parseRecoveryKey(await scene.recoveryText());
  const { OPERATOR_SECRETS, BACK_OFFICE_KEYS, ...payments } = await secretsOf(
    await scene.deployment(),
    recoveryKey,
  );
  expect(scene.secrets('kefel')).toEqual(payments);
  expect(scene.secrets('kefel-back-office')).toEqual({ OPERATOR_SECRETS, BACK_OFFICE_KEYS });
}

describe('a fresh account', () => {
  test('gets a gateway, and an operator who can sign in', async () => {
    await using scene = await setupScene();
    const { isDone, text } = await scene.setup();
    expect(text).toContain('Step 11 of 11: self-check');
    expect(isDone).toBe(true);
    await expectGateway(scene);
    expect(scene.checked).toEqual(['https://kefel-back-office.kefel-trial.workers.dev']);
    const operator = JSON.parse(await readFile(scene.operatorsFile, 'utf8'));
    expect(operator.name).toBe('Sara');
    const entry = `Sara:sha256-${createHash('sha256').update(operator.secret).digest('hex')}`;
    expect(scene.secrets('kefel-back-office').OPERATOR_SECRETS).toBe(entry);
    for (const file of [scene.operatorsFile, scene.recoveryFile]) {
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    }
    // The screen shows where secrets are, and none of them.
    expect(text).toContain('KEEP THIS FILE, AND KEEP IT ELSEWHERE, TOO:');
    expect(text).toContain(scene.recoveryFile);
    const deploymentFile = join(scene.directory, 'production.json');
    expect(text).toContain('AND KEEP THIS SECOND FILE');
    expect(text).toContain(`Its keys:      ${deploymentFile}   Commit it`);
    expect(text).not.toContain(operator.secret);
    expect(text).not.toContain((await scene.recoveryText()).trim().split('\n').at(-1));
  });

  test('is unchanged by a dry run, which says what it would do', async () => {
    await using scene = await setupScene({ account: { subdomain: null } });
    const { isDone, text } = await scene.setup({ isDryRun: true, operator: undefined });
    expect(isDone, text).toBe(true);
    expect(text).toContain('add the first operator: --operator "Sara"');
    expect(text).toMatch(/Would register kefel-[0-9a-f]{8}\.workers\.dev/);
    expect(text).toContain('Would create the database kefel-back-office.');
    expect(text).toContain("and the operator's secret into");
    expect(text).toContain('Would deploy the Worker kefel with LINK_SIGNING_KEYS');
    expect(text).toContain('Nothing was changed.');
    expect(scene.cloudflare.changes()).toEqual([]);
    expect(scene.wranglerRuns).toEqual([]);
    expect(existsSync(scene.recoveryFile)).toBe(false);
    expect(existsSync(scene.directory)).toBe(false);
  });

  test('gets its subdomain of workers.dev registered', async () => {
    await using scene = await setupScene({ account: { subdomain: null } });
    expect((await scene.setup()).isDone).toBe(true);
    const { subdomain } = scene.cloudflare.state;
    expect((await scene.deployment()).addresses.payments).toBe(
      `https://kefel.${subdomain}.workers.dev`,
    );
  });

  test('gets the places that a person chooses when asked', async () => {
    await using scene = await setupScene();
    scene.answers = ['pay.example.com', 'https://office.example.com', 'Sara', 'eu', 'weur', 'yes'];
    const { isDone, text } = await scene.setup({ operator: undefined });
    expect(isDone).toBe(true);
    expect(text).toContain('This can never be changed');
    expect(await scene.deployment()).toMatchObject({
      addresses: { payments: 'https://pay.example.com', backOffice: 'https://office.example.com' },
      jurisdiction: 'eu',
      locationHint: 'weur',
      operators: [{ name: 'Sara' }],
    });
    const { databases, queues, buckets } = scene.cloudflare.state;
    const places = [...databases, ...queues, ...buckets].map(({ jurisdiction }) => jurisdiction);
    expect(places).toEqual(Array(9).fill('eu'));
    expect(scene.cloudflare.state.domains.map(({ hostname }) => hostname)).toEqual([
      'pay.example.com',
      'office.example.com',
    ]);
  });
});

test('asks again after an answer that cannot be, and keeps the others', async () => {
  await using scene = await setupScene();
  scene.answers = [
    ...['ftp://pay.example.com', 'pay.example.com', '', 'Sara, Abebe', 'Sara'],
    ...['mars', 'none', 'africa', '', 'yes'],
  ];
  const { isDone, text } = await scene.setup({ operator: undefined });
  expect(isDone, text).toBe(true);
  expect(text).toContain('"ftp://pay.example.com" is not an address such as');
  expect(text).toContain('"Sara, Abebe" cannot be an operator\'s name');
  expect(text).toContain('--jurisdiction cannot be "mars"');
  expect(await scene.deployment()).toMatchObject({
    addresses: { payments: 'https://pay.example.com', backOffice: 'https://pay.example.com' },
    jurisdiction: '',
    locationHint: 'weur',
    operators: [{ name: 'Sara' }],
  });
});

test('names the command that continues with the answers, when the first step fails', async () => {
  await using scene = await setupScene();
  const answers = ['pay.example.org', 'office.example.org', 'Sara Abebe', '', ''];
  scene.answers = [...answers];
  const failed = await scene.setup({ operator: undefined });
  expect(failed.isDone).toBe(false);
  expect(failed.text).toContain(
    "run: npm run setup -- --env production --url https://pay.example.org --office-url https://office.example.org --operator 'Sara Abebe' --jurisdiction none --location weur",
  );
  scene.answers = [];
  const again = await scene.setup({
    ...{ url: 'workers.dev', operator: 'Sara Abebe', jurisdiction: 'none', locationHint: 'none' },
  });
  expect(again.text).not.toContain('Which address');
  expect(again.isDone, again.text).toBe(true);
  expect(await scene.deployment()).toMatchObject({ zones: null, locationHint: '' });
});

test('changes nothing in a second run, and says so', async () => {
  await using scene = await setupScene();
  const address = { url: 'https://pay.example.com' };
  await scene.setup(address);
  const before = await scene.deployment();
  const { isDone, text } = await scene.setup({ operator: undefined });
  expect(isDone).toBe(true);
  expect(text.match(/Nothing to do\./g)).toHaveLength(10);
  expect(scene.cloudflare.changes()).toEqual([]);
  expect(scene.wranglerRuns).toEqual([]);
  expect(await scene.deployment()).toEqual(before);
});

test.each([
  ['the commit, as npm run deploy does', 'c'.repeat(40), `commit ${'c'.repeat(40)}`],
  ['no commit for code that none has', null, 'npm run setup'],
])('names in the version %s', async (_what, commit, message) => {
  await using scene = await setupScene();
  scene.commit = commit;
  await scene.setup();
  for (const name of ['kefel', 'kefel-back-office']) {
    expect(scene.script(name).versions.at(-1)?.annotations['workers/message']).toBe(message);
  }
});

test('replaces no version that was uploaded in another way', async () => {
  await using scene = await setupScene();
  await scene.setup();
  const { versions } = scene.script('kefel');
  const latest = versions.at(-1) as (typeof versions)[number];
  versions.splice(-1, 1, { ...latest, annotations: {} });
  const { isDone, text } = await scene.setup();
  expect(isDone).toBe(false);
  expect(text).toContain('was not deployed by setup or `npm run deploy`');
  expect(text).toContain('Run `npm run deploy -- --env production`, which');
  expect(scene.wranglerRuns).toEqual([]);
});

test('lets queues keep messages longer than a dead letter is retried, also those that exist', async () => {
  await using scene = await setupScene();
  await scene.setup();
  const kept = () => {
    return scene.cloudflare.state.queues.map(({ settings }) => settings.message_retention_period);
  };
  expect(kept()).toEqual(Array(6).fill(1_209_600));
  Object.assign(scene.cloudflare.state.queues[5]?.settings ?? {}, {
    message_retention_period: 345_600,
  });
  expect((await scene.setup()).text).toContain('keep messages for 14 days');
  expect(kept()).toEqual(Array(6).fill(1_209_600));
});

test('names the queues that were made outside of the jurisdiction', async () => {
  await using scene = await setupScene();
  await scene.setup({ jurisdiction: 'eu' });
  const [first] = scene.cloudflare.state.queues;
  Object.assign(first ?? {}, { jurisdiction: undefined });
  const { isDone, text } = await scene.setup();
  expect(isDone).toBe(true);
  expect(text).toContain(`NOT IN eu: ${first?.queue_name}. In maintenance`);
});

test('leaves backups as they are, unless the deployment file says otherwise', async () => {
  await using scene = await setupScene();
  await scene.setup({ isWithoutBackup: true });
  expect((await scene.setup()).isDone).toBe(true);
  expect((await scene.deployment()).hasBackups).toBe(false);
  const other = { ...(await scene.deployment()), hasBackups: true };
  await writeDeployment('production', other, scene.directory);
  expect((await scene.setup()).isDone).toBe(true);
  expect(scene.cloudflare.state.buckets).toHaveLength(1);
  const { isDone, text } = await scene.setup({ isWithoutBackup: true });
  expect(isDone).toBe(false);
  expect(text).toContain('this deployment has backups');
  expect(scene.wranglerRuns).toEqual([]);
});

test('repairs what is gone, with the same keys', async () => {
  await using scene = await setupScene();
  await scene.setup();
  const secrets = scene.secrets('kefel');
  const { queues, scripts } = scene.cloudflare.state;
  queues.splice(0, 1);
  scripts.delete('kefel');
  expect((await scene.setup()).isDone).toBe(true);
  await expectGateway(scene);
  expect(scene.secrets('kefel')).toEqual(secrets);
});

test('sets only the secret that is missing, to the value that it had', async () => {
  await using scene = await setupScene();
  await scene.setup();
  const secrets = scene.secrets('kefel');
  const { versions } = scene.script('kefel');
  const latest = versions.at(-1);
  versions.splice(-1, 1, {
    ...(latest as NonNullable<typeof latest>),
    bindings: (latest?.bindings ?? []).filter(({ name }) => name !== 'BACKUP_KEYS'),
  });
  const { text } = await scene.setup();
  expect(text).toContain('Will set BACKUP_KEYS of the Worker kefel');
  expect(scene.secrets('kefel')).toEqual(secrets);
  expect(scene.wranglerRuns).toEqual([]);
});

test('completes an account that has some of it already', async () => {
  await using scene = await setupScene();
  const { state } = scene.cloudflare;
  await scene.setup();
  // As after a run that ended before the Workers, whose deployment file was lost.
  state.scripts.clear();
  state.databases.splice(0, 1);
  state.queues.splice(0, 4);
  for (const queue of state.queues) {
    queue.consumers.length = 0;
  }
  await rm(scene.directory, { recursive: true });
  const [other] = state.databases;
  state.databases.splice(0, 1, { ...other, uuid: crypto.randomUUID() } as typeof other & object);
  const { isDone, text } = await scene.setup();
  expect(text).toContain('nothing replaces it');
  expect(isDone).toBe(true);
  await expectGateway(scene);
});

test('continues with the recovery file of a run that was killed before it did more', async () => {
  await using scene = await setupScene();
  await createRecoveryFile(scene.recoveryFile, 'production');
  const written = await scene.recoveryText();
  expect((await scene.setup()).isDone).toBe(true);
  expect(await scene.recoveryText()).toBe(written);
  await expectGateway(scene);
});

describe('refuses, and changes nothing', () => {
  async function expectRefusal(scene: SetupScene, given: object, ...messages: readonly RegExp[]) {
    const { isDone, text } = await scene.setup(given);
    for (const message of messages) {
      expect(text).toMatch(message);
    }
    expect(isDone).toBe(false);
    expect(scene.cloudflare.changes()).toEqual([]);
    expect(scene.wranglerRuns).toEqual([]);
  }

  test('a Worker of the same name that it did not make', async () => {
    await using scene = await setupScene();
    await scene.setup();
    await rm(scene.directory, { recursive: true });
    await expectRefusal(
      scene,
      {},
      /the account has the Worker kefel and the Worker kefel-back-office and the database kefel,/,
      /put its deployment file at .*production\.json and its recovery file at/,
    );
  });

  test('backups of a gateway that it did not make', async () => {
    await using scene = await setupScene();
    await scene.setup();
    const { state, runtime } = scene.cloudflare;
    await (await runtime.bucket('kefel-backups')).put('runs/1', 'sealed');
    state.scripts.clear();
    state.databases.length = 0;
    state.queues.length = 0;
    await rm(scene.directory, { recursive: true });
    await expectRefusal(scene, {}, /the account has the bucket kefel-backups, which has backups/);
  });

  test('queues from which another Worker takes messages', async () => {
    await using scene = await setupScene();
    await scene.setup();
    const { state } = scene.cloudflare;
    state.scripts.clear();
    state.databases.length = 0;
    for (const { consumers } of state.queues) {
      consumers.splice(0, 1, ...consumers.map((consumer) => ({ ...consumer, script: 'shop' })));
    }
    await rm(scene.directory, { recursive: true });
    await expectRefusal(scene, {}, /another Worker consumes kefel-/, /set up under another name/);
  });

  test('a recovery file inside the project', async () => {
    await using scene = await setupScene();
    const recoveryFile = join(PROJECT_DIRECTORY, 'recovery.txt');
    await expectRefusal(scene, { recoveryFile }, /is inside the project's folder/);
  });

  test('the recovery file of another deployment', async () => {
    await using scene = await setupScene();
    await scene.setup();
    await rm(scene.recoveryFile);
    await createRecoveryFile(scene.recoveryFile, 'staging');
    await expectRefusal(scene, {}, /the recovery key of another deployment/);
  });

  test('a malformed deployment file', async () => {
    await using scene = await setupScene();
    await scene.setup();
    await writeFile(join(scene.directory, 'production.json'), '{"account": {}}');
    await expectRefusal(scene, {}, /production\.json is malformed:\n {2}account\.id/);
  });

  test.each([
    ['SECOND_OPERATOR_ABOVE', '5,000', /SECOND_OPERATOR_ABOVE must be "off" or an amount/],
    ['SECRET_ENDS', 'tomorrow', /SECRET_ENDS must be a list of NAME=2027-01-31/],
    ['ALERT_EMAIL_TO', 'hana', /ALERT_EMAIL_TO must both be e-mail addresses/],
    ['WEBHOOK_RETIRED_KEYS_SANDBOX', 'k1', /WEBHOOK_RETIRED_KEYS_SANDBOX or _PRODUCTION must be/],
    ['STATUS_URL', `https://a.example/${'a'.repeat(5_200)}`, /STATUS_URL has 5218 bytes/],
  ])('a value of %s that the gateway could not read', async (name, value, message) => {
    await using scene = await setupScene();
    await scene.setup();
    await changeVariable(scene, name, value);
    await expectRefusal(scene, {}, message, /Correct it in .*production\.json/);
  });

  test('another account than the deployment file names', async () => {
    await using scene = await setupScene();
    await scene.setup();
    const { isDone, text } = await scene.setup({ account: 'f'.repeat(32) });
    expect(isDone).toBe(false);
    expect(text).toContain(`"production" is in the account ${scene.cloudflare.state.name}`);
    expect(scene.cloudflare.changes()).toEqual([]);
  });

  test('another jurisdiction than the objects have', async () => {
    await using scene = await setupScene();
    await scene.setup();
    await expectRefusal(scene, { jurisdiction: 'eu' }, /which cannot be changed/, /--env/);
  });

  test.each([
    [{ operator: undefined }, /the first operator has no name/],
    [{ operator: 'Sara,Hana' }, /cannot be an operator's name/],
    [{ url: 'http://pay.example.com' }, /is not an address such as/],
    [{ url: 'https://pay.example.com/shop' }, /is not an address such as/],
    [{ locationHint: 'addis' }, /--location cannot be "addis"/],
    [{ url: 'https://pay.elsewhere.com' }, /no domain of the account serves pay\.elsewhere\.com/],
    [{ account: 'f'.repeat(32) }, /the login reaches no account f+/],
  ])('the option in %j', async (given, message) => {
    await using scene = await setupScene();
    await expectRefusal(scene, given, message);
  });
});

async function changeVariable(scene: SetupScene, name: string, value: string): Promise<void> {
  const { variables, ...deployment } = await scene.deployment();
  const payments = { ...variables.payments, [name]: value };
  const changed = { ...deployment, variables: { ...variables, payments } };
  await writeDeployment('production', changed, scene.directory);
}

describe('a change that the gateway does not work with', () => {
  const CHANGE = ['STATUS_URL', 'https://status.example.com'] as const;

  test('goes back by itself, and is made again by the next run', async () => {
    await using scene = await setupScene();
    await scene.setup();
    const [before] = scene.script('kefel').versions;
    await changeVariable(scene, ...CHANGE);
    scene.wrong.after = ['payment'];
    const { isDone, text } = await scene.setup();
    expect(isDone).toBe(false);
    expect(text).toContain(`Went back: all requests of kefel go to ${before?.id} again.`);
    expect(text).toContain('not all of it is right: payment.\nThe gateway is as it was before');
    expect(scene.script('kefel').deployments[0]?.versions).toEqual([
      { version_id: before?.id, percentage: 100 },
    ]);
    scene.wrong.after = [];
    expect((await scene.setup()).isDone).toBe(true);
    expect(scene.script('kefel').versions).toHaveLength(3);
  });

  test('stays, when the same was wrong before it', async () => {
    await using scene = await setupScene();
    await scene.setup();
    await changeVariable(scene, ...CHANGE);
    scene.wrong = { before: ['backup', 'payment'], after: ['backup'] };
    const { isDone, text } = await scene.setup();
    expect(isDone).toBe(false);
    expect(text).not.toContain('Went back');
    expect(scene.script('kefel').deployments).toHaveLength(2);
  });

  test('is named as live, when Cloudflare does not take it back', async () => {
    await using scene = await setupScene();
    await scene.setup();
    await changeVariable(scene, ...CHANGE);
    scene.wrong.after = ['payment'];
    scene.cloudflare.failCall(
      'POST /accounts/{account}/workers/scripts/{script}/deployments',
      'reset',
    );
    const { isDone, text } = await scene.setup();
    expect(isDone).toBe(false);
    expect(text).toContain('THE CHANGE IS STILL LIVE: all requests of kefel');
  });
});

describe('says what stops it, and continues with the same command', () => {
  test('every permission that the token lacks, at once', async () => {
    await using scene = await setupScene({ permissions: ['Account Settings', 'Workers Scripts'] });
    const { isDone, text } = await scene.setup();
    expect(isDone).toBe(false);
    expect(text).toContain(
      'lacks permissions: Account: D1: Edit; Account: Queues: Edit; Account: Workers R2 Storage: Edit',
    );
    expect(text).toContain('https://dash.cloudflare.com/profile/api-tokens');
    expect(scene.cloudflare.changes()).toEqual([]);
  });

  test('a plan without room for another database', async () => {
    await using scene = await setupScene({ account: { databasesMax: 1 } });
    const { isDone, text } = await scene.setup();
    expect(isDone).toBe(false);
    expect(text).toContain('the account has as many databases as its plan allows');
    expect(text).toContain('What is done stays. To continue, run: ');
    scene.cloudflare.state.databasesMax = 10;
    expect((await scene.setup()).isDone).toBe(true);
    await expectGateway(scene);
  });

  test('an account without R2, which may do without backups', async () => {
    await using scene = await setupScene({ account: { hasR2: false } });
    const { isDone, text } = await scene.setup();
    expect(isDone).toBe(false);
    expect(text).toContain('the account has not enabled R2');
    expect(text).toContain('--without-backup');
    expect((await scene.setup({ isWithoutBackup: true })).isDone).toBe(true);
    expect((await scene.deployment()).hasBackups).toBe(false);
    expect(scene.cloudflare.state.buckets).toEqual([]);
  });

  test('a DNS record of something else, which it never replaces', async () => {
    await using scene = await setupScene({ account: { dnsRecords: new Set(['pay.example.com']) } });
    const address = { url: 'https://pay.example.com' };
    const { isDone, text } = await scene.setup(address);
    expect(isDone).toBe(false);
    expect(text).toContain('pay.example.com has a DNS record of something else');
    expect(text).toContain('another address with `npm run setup -- --env production --url URL`');
    expect(scene.cloudflare.state.domains).toEqual([]);
    scene.cloudflare.state.dnsRecords.clear();
    expect((await scene.setup(address)).isDone).toBe(true);
    expect(scene.cloudflare.state.domains.map(({ hostname }) => hostname)).toEqual([
      'pay.example.com',
    ]);
  });

  test('a new address with a DNS record of something else, before it gives up the old one', async () => {
    await using scene = await setupScene();
    await scene.setup();
    const before = await scene.deployment();
    scene.cloudflare.state.dnsRecords.add('pay.example.com');
    const address = { url: 'https://pay.example.com' };
    for (const given of [{ isDryRun: true }, {}]) {
      const { isDone, text } = await scene.setup({ ...address, ...given });
      expect(isDone).toBe(false);
      expect(text).toContain('pay.example.com has a DNS record of something else');
      expect(scene.wranglerRuns).toEqual([]);
      expect(await scene.deployment()).toEqual(before);
    }
  });

  test('a new address that does not work yet, while the old one goes on', async () => {
    await using scene = await setupScene();
    await scene.setup();
    const address = { url: 'https://pay.example.com' };
    const isOpen = () =>
      ['kefel', 'kefel-back-office'].map((name) => scene.script(name).onWorkersDev);
    scene.wranglerFault = { command: 'triggers', at: 'start' };
    expect((await scene.setup(address)).isDone).toBe(false);
    expect(isOpen()).toEqual([true, true]);
    const { isDone, text } = await scene.setup(address);
    expect(isDone).toBe(true);
    expect(text).toContain('Will close the address of the Worker kefel at workers.dev');
    expect(isOpen()).toEqual([false, false]);
  });

  test('a machine that does not have the recovery file', async () => {
    await using scene = await setupScene();
    await scene.setup();
    await rm(scene.recoveryFile);
    expect((await scene.setup()).isDone).toBe(true);
    scene.cloudflare.state.scripts.delete('kefel-back-office');
    const { isDone, text } = await scene.setup();
    expect(isDone).toBe(false);
    expect(text).toContain(`there is no recovery file at ${scene.recoveryFile}`);
  });
});

describe('a network that fails', () => {
  const CALLS = [
    'GET /accounts',
    'GET /accounts/{account}/workers/scripts',
    'GET /accounts/{account}/d1/database',
    'GET /accounts/{account}/queues',
    'GET /accounts/{account}/r2/buckets',
    'GET /accounts/{account}/workers/subdomain',
    'POST /accounts/{account}/d1/database',
    'POST /accounts/{account}/queues',
    'GET /accounts/{account}/r2/buckets/{bucket}',
    'POST /accounts/{account}/r2/buckets',
    'GET /accounts/{account}/workers/scripts/{script}/schedules',
  ];
  const FAULTS = ['reset', 'answer lost'] as const;
  const RUNS = ['d1 migrations apply kefel', 'd1 migrations apply kefel-back-office', 'deploy'];

  test('at each call and each run of wrangler leaves nothing half done', async () => {
    await using scene = await setupScene();
    let keys: unknown = null;
    let recovery: string | null = null;
    const expectContinuation = async (text: string, isDone: boolean, where: string) => {
      expect(isDone, where).toBe(false);
      expect(text, where).toContain('To continue, run: npm run setup');
      if (existsSync(join(scene.directory, 'production.json'))) {
        const deployment = await scene.deployment();
        recovery ??= await scene.recoveryText();
        keys ??= deployment.keys;
        // Another key would make what the first one sealed unreadable.
        expect(deployment.keys, where).toEqual(keys);
        expect(await scene.recoveryText(), where).toBe(recovery);
      }
    };
    for (const call of CALLS) {
      // A read without an answer is a read that did not happen.
      const faults = call.startsWith('GET') ? (['reset'] as const) : FAULTS;
      for (const fault of faults) {
        scene.cloudflare.failCall(call, fault);
        const { isDone, text } = await scene.setup();
        expect(text, call).toMatch(/Cloudflare cannot be reached for/);
        await expectContinuation(text, isDone, `${call}: ${fault}`);
        scene.cloudflare.recover();
      }
    }
    for (const command of [...RUNS, 'deploy']) {
      for (const at of ['start', 'end'] as const) {
        scene.wranglerFault = { command, at };
        const { isDone, text } = await scene.setup();
        if (scene.wranglerFault === null) {
          expect(text).toContain('fetch failed');
          await expectContinuation(text, isDone, `${command}: ${at}`);
        }
      }
    }
    scene.wranglerFault = null;
    expect((await scene.setup()).isDone).toBe(true);
    await expectGateway(scene);
    expect((await scene.deployment()).keys).toEqual(keys);
  });
});
