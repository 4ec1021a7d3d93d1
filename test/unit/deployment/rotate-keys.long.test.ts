import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { CloudflareError } from '../../../scripts/deployment/cloudflare.ts';
import { SEALED_RINGS, writeDeployment } from '../../../scripts/deployment/deployment-file.ts';
import { explained } from '../../../scripts/deployment/explain.ts';
import { keyIdAt, openRing, RINGS, secretsOf } from '../../../scripts/deployment/keys.ts';
import { handedOutFile, type OperatorsFile } from '../../../scripts/deployment/operators-file.ts';
import { recoveredSecrets } from '../../../scripts/deployment/recovered-secrets.ts';
import { derivedKey, parseRecoveryKey } from '../../../scripts/deployment/recovery-key.ts';
import type { RunOptions } from '../../../scripts/setup/context.ts';
import { operatorStep } from '../../../scripts/setup/operator.ts';
import {
  type GivenRotation,
  type OperatorRotation,
  operatorSteps,
  type Rotation,
  ringSteps,
  runRotation,
} from '../../../scripts/setup/rotate.ts';
import { keyRing } from '../../../src/engine/config.ts';
import { publishedKeys } from '../../../src/engine/webhooks/published-keys.ts';
import { manifestName } from '../../../src/recovery/backup/names.ts';
import { sealPart, UnreadablePart } from '../../../src/recovery/backup/part.ts';
import { type SetupScene, setupScene } from '../../support/setup-scene.ts';

/**
 * Goal: keys are rotated, and a trial is deleted, by one command that loses nothing in use and
 * continues after a failure. Method: as in setup-cases.long.test.ts, with times that the tests choose.
 */

const START = new Date();
const DAY_MS = 24 * 60 * 60 * 1000;
const daysLater = (days: number) => new Date(START.getTime() + days * DAY_MS);
/** The keys of the setup have the second of its run. */
const ROTATED = daysLater(1);

let scene: SetupScene;

beforeAll(async () => {
  scene = await setupScene();
  expect((await scene.setup()).isDone).toBe(true);
  return () => scene[Symbol.asyncDispose]();
});

type Ring = Parameters<typeof ringSteps>[1];

function rotate(ring: Ring, given: Partial<Rotation> = {}) {
  const rotation = { isFinish: false, isLeaked: false, now: ROTATED, ...given };
  return scene.steps((setup) => ringSteps(setup, ring, rotation));
}

/** As `npm run rotate` with these options. */
function command(given: Partial<GivenRotation>, options: Partial<RunOptions> = {}) {
  const whole = { what: [], finish: false, leaked: false, remove: false, ...given };
  return scene.withSetup((setup) => runRotation(setup, whole, ROTATED), options);
}

function keyIds(ring: Ring, worker = 'kefel'): readonly string[] {
  return keyRing(ring, String(scene.secrets(worker)[ring])).map(({ keyId }) => keyId);
}

/** Cloudflare has what the deployment file and the recovery key say. */
async function expectInStep(): Promise<void> {
  const key = parseRecoveryKey(await scene.recoveryText());
  const values = await secretsOf(await scene.deployment(), key);
  expect({ ...scene.secrets('kefel'), ...scene.secrets('kefel-back-office') }).toEqual(values);
}

describe('a rotated ring', () => {
  test.each<[Ring, string, number]>([
    ['LINK_SIGNING_KEYS', 'kefel', 366 + 30],
    ['BACK_OFFICE_KEYS', 'kefel-back-office', 7],
    ['BACKUP_KEYS', 'kefel', 400 + 40],
  ])('%s keeps its old key until nothing depends on it', async (ring, worker, days) => {
    const [old] = keyIds(ring, worker);
    expect((await rotate(ring)).isDone).toBe(true);
    expect(keyIds(ring, worker)).toEqual([expect.stringMatching(/^k\d{14}$/), old]);
    const early = await rotate(ring, { isFinish: true, now: daysLater(days) });
    expect(early.isDone).toBe(false);
    expect(early.text).toMatch(/is in use until \d{4}-\d\d-\d\d/);
    expect(keyIds(ring, worker)).toHaveLength(2);
    const late = await rotate(ring, { isFinish: true, now: daysLater(days + 2) });
    expect(late.isDone).toBe(true);
    expect(keyIds(ring, worker)).toHaveLength(1);
    expect(keyIds(ring, worker)).not.toContain(old);
    await expectInStep();
  });

  test('gets no third key from a repeated command, which skips the steps that are done', async () => {
    await rotate('LINK_SIGNING_KEYS', { now: daysLater(500) });
    const ids = keyIds('LINK_SIGNING_KEYS');
    const { isDone, text } = await rotate('LINK_SIGNING_KEYS', { now: daysLater(501) });
    expect(isDone).toBe(true);
    expect(text).toContain('A rotation is under way');
    expect(scene.cloudflare.changes()).toEqual([]);
    expect(keyIds('LINK_SIGNING_KEYS')).toEqual(ids);
  });

  test.each(['reset', 'answer lost'] as const)(
    'is completed by the same command after a failure (%s)',
    async (fault) => {
      await rotate('LINK_SIGNING_KEYS', { isFinish: true, isLeaked: true });
      const call = 'PATCH /accounts/{account}/workers/scripts/{script}/secrets-bulk';
      scene.cloudflare.failCall(call, fault);
      const now = daysLater(fault === 'reset' ? 600 : 601);
      expect((await rotate('LINK_SIGNING_KEYS', { now })).isDone).toBe(false);
      scene.cloudflare.recover();
      expect((await rotate('LINK_SIGNING_KEYS', { now: daysLater(602) })).isDone).toBe(true);
      expect(keyIds('LINK_SIGNING_KEYS')).toHaveLength(2);
      await expectInStep();
    },
  );

  test('keeps its old key for as long after a late upload', async () => {
    const secrets = 'PATCH /accounts/{account}/workers/scripts/{script}/secrets-bulk';
    await rotate('BACK_OFFICE_KEYS', { isFinish: true, now: daysLater(900) });
    scene.cloudflare.failCall(secrets);
    expect((await rotate('BACK_OFFICE_KEYS', { now: daysLater(1000) })).isDone).toBe(false);
    scene.cloudflare.recover();
    const finish = (days: number) =>
      rotate('BACK_OFFICE_KEYS', { isFinish: true, now: daysLater(days) });
    const missing = await finish(1010);
    expect(missing.isDone).toBe(false);
    expect(missing.text).toContain('the new key of BACK_OFFICE_KEYS has not been uploaded');
    expect((await rotate('BACK_OFFICE_KEYS', { now: daysLater(1010) })).isDone).toBe(true);
    expect((await finish(1016)).isDone).toBe(false);
    expect((await finish(1018)).isDone).toBe(true);
    await expectInStep();
  });

  test('of links keeps its old key as long as the longest expireIn that there ever was', async () => {
    const setLongest = async (seconds: string) => {
      const { variables, ...deployment } = await scene.deployment();
      const payments = { ...variables.payments, EXPIRE_IN_SECONDS_MAX: seconds };
      const changed = { ...deployment, variables: { ...variables, payments } };
      await writeDeployment('production', changed, scene.directory);
      expect((await scene.setup()).isDone).toBe(true);
    };
    await setLongest(String((1000 * DAY_MS) / 1000));
    await setLongest('86400');
    await rotate('LINK_SIGNING_KEYS', { isFinish: true, isLeaked: true });
    await rotate('LINK_SIGNING_KEYS', { now: daysLater(0) });
    const finish = { isFinish: true, now: daysLater(1029) };
    expect((await rotate('LINK_SIGNING_KEYS', finish)).isDone).toBe(false);
  });

  test('is refused while two versions are deployed, before anything is stored', async () => {
    const { deployments } = scene.script('kefel-back-office');
    const before = await scene.deployment();
    const [current] = deployments;
    const [share] = current?.versions ?? [];
    const half = { version_id: share?.version_id ?? '', percentage: 50 };
    deployments.unshift({ ...current, versions: [half, half] } as (typeof deployments)[number]);
    const { isDone, text } = await rotate('BACK_OFFICE_KEYS');
    deployments.shift();
    expect(isDone).toBe(false);
    expect(text).toContain('under way, and a changed secret would end it');
    expect(scene.cloudflare.changes()).toEqual([]);
    expect(await scene.deployment()).toEqual(before);
  });

  test('is explained when a newer version waits to be deployed', () => {
    const refused = new CloudflareError('The latest version …', '/workers', 10215, 400);
    expect(explained(refused)).toMatchObject({
      problem: expect.stringContaining('the newest version is not the deployed one'),
      remedy: expect.stringContaining('npm run deploy'),
    });
  });

  test('changes nothing in a dry run, which says each step', async () => {
    const before = await scene.deployment();
    const what = ['webhooks-sandbox'];
    const { isDone, text } = await command({ what }, { isDryRun: true });
    expect(isDone).toBe(true);
    expect(text).toMatch(/Would add the key k\d{14} to the deployment file/);
    expect(text).toContain('Would set WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX of the Worker kefel');
    expect(scene.cloudflare.changes()).toEqual([]);
    expect(await scene.deployment()).toEqual(before);
  });

  test.each([
    [{ what: ['links'], leaked: true }, '--leaked belongs to --finish'],
    [{ what: ['links'], remove: true }, '--remove removes an operator'],
    [{ what: ['operator', 'Sara'], finish: true, leaked: true }, 'give --finish or --remove alone'],
    [{ what: ['operator', 'Sara'], finish: true, remove: true }, 'give --finish or --remove alone'],
    [{ what: ['links', 'Sara'] }, 'name one of links'],
  ])('is refused for options that mean nothing together: %j', async (given, message) => {
    await expect(command(given)).rejects.toThrow(message);
  });

  test('ends with the file that must be kept', async () => {
    const { text } = await command({ what: ['webhooks-sandbox'] });
    expect(text).toContain(`Commit ${join(scene.directory, 'production.json')} or keep a copy`);
  });

  test('loses a leaked key at once', async () => {
    const [, leaked] = keyIds('LINK_SIGNING_KEYS');
    const given = { isFinish: true, isLeaked: true };
    expect((await rotate('LINK_SIGNING_KEYS', given)).isDone).toBe(true);
    expect(keyIds('LINK_SIGNING_KEYS')).not.toContain(leaked);
  });
});

describe('data keys', () => {
  const database = () => scene.database('kefel');

  test('say which books to rebuild before the old one goes', async () => {
    database().exec(
      "INSERT INTO merchants (id, number, name, created_at_ms) VALUES ('abebe', 1, 'Abebe', 1)",
    );
    const { text } = await rotate('DATA_ENCRYPTION_KEYS', { now: daysLater(0.5) });
    expect(text).toContain('Otherwise search, CSV files,');
    expect(text).toContain('rebuild book production abebe --all --env production');
    await rotate('DATA_ENCRYPTION_KEYS', { isFinish: true, isLeaked: true });
  });

  test('stay while an API key, a webhook secret or a dead letter depends on one', async () => {
    const [old] = keyIds('DATA_ENCRYPTION_KEYS');
    await rotate('DATA_ENCRYPTION_KEYS');
    database().exec(`INSERT INTO api_keys (digest, merchant_id, environment, name, hint, created_at_ms)
      VALUES ('${'0'.repeat(64)}', 'abebe', 'sandbox', 'shop', 'abcd', ${START.getTime()})`);
    database().exec(`INSERT INTO webhook_secrets
      (id, merchant_id, environment, sealed_secret, created_at_ms)
      VALUES ('w', 'abebe', 'sandbox', '${old}.sealed', 1)`);
    const { isDone, text } = await rotate('DATA_ENCRYPTION_KEYS', { isFinish: true });
    expect(isDone).toBe(false);
    expect(text).toContain('older data keys are in use: 1 API keys, 1 webhook secrets');
    expect(keyIds('DATA_ENCRYPTION_KEYS')).toContain(old);
  });

  test('end when merchants have replaced all that depends on them', async () => {
    const [newest] = keyIds('DATA_ENCRYPTION_KEYS');
    database().exec('UPDATE api_keys SET revoked_at_ms = 2');
    database().exec(`UPDATE webhook_secrets SET sealed_secret = '${newest}.sealed'`);
    expect((await rotate('DATA_ENCRYPTION_KEYS', { isFinish: true })).isDone).toBe(true);
    expect(keyIds('DATA_ENCRYPTION_KEYS')).toEqual([newest]);
    await expectInStep();
  });
});

describe('a webhook key', () => {
  const RING = 'WEBHOOK_RSA_PRIVATE_KEYS_PRODUCTION';

  function variable(): string {
    const bindings = scene.script('kefel').versions.at(-1)?.bindings ?? [];
    return String(bindings.find(({ name }) => name === 'WEBHOOK_RETIRED_KEYS_PRODUCTION')?.text);
  }

  test('leaves its public half behind, which is deployed before the key goes', async () => {
    const [old] = keyRing(RING, String(scene.secrets('kefel')[RING]));
    const [published] = await publishedKeys([old], '', { retentionMs: 1, nowMs: 1 });
    expect((await rotate(RING)).isDone).toBe(true);
    // A failed deployment must not leave old events without a key that verifies them.
    scene.wranglerFault = { command: 'deploy', at: 'start' };
    expect((await rotate(RING, { isFinish: true })).isDone).toBe(false);
    expect(keyIds(RING)).toContain(old.keyId);
    expect((await rotate(RING, { isFinish: true })).isDone).toBe(true);
    expect(keyIds(RING)).toHaveLength(1);
    const ring = keyRing(RING, String(scene.secrets('kefel')[RING]));
    const options = { retentionMs: 400 * DAY_MS, nowMs: ROTATED.getTime() };
    const verifying = await publishedKeys(ring, variable(), options);
    expect(verifying.map(({ publicKey }) => publicKey)).toContain(published?.publicKey);
    await expectInStep();
  });

  test('leaves none behind after a leak', async () => {
    const before = variable();
    await rotate(RING, { now: daysLater(10) });
    const [, leaked] = keyIds(RING);
    expect((await rotate(RING, { isFinish: true, isLeaked: true })).isDone).toBe(true);
    expect(keyIds(RING)).not.toContain(leaked);
    expect(variable()).toBe(before);
  });
});

describe('operators', () => {
  function change(name: string, what: OperatorRotation['change'], now = START) {
    return scene.steps((setup) => [
      ...operatorSteps(setup, { name, change: what, now }),
      operatorStep(setup),
    ]);
  }
  const entries = () => String(scene.secrets('kefel-back-office').OPERATOR_SECRETS).split(',');
  const fileAt = async (file: string): Promise<OperatorsFile> =>
    JSON.parse(await readFile(file, 'utf8'));
  const onThisMachine = () => fileAt(scene.operatorsFile);
  const placeOf = (now: Date) => handedOutFile(scene.operatorsFile, keyIdAt(now));
  const entryOf = ({ name, secret }: OperatorsFile) =>
    `${name}:sha256-${createHash('sha256').update(secret).digest('hex')}`;

  test('get a secret that only a file of their own has', async () => {
    const own = await onThisMachine();
    const { isDone, text } = await change('Hana', 'add', daysLater(2));
    expect(isDone).toBe(true);
    const place = placeOf(daysLater(2));
    const file = await fileAt(place);
    expect(entries()).toEqual([entryOf(file), entryOf(own)]);
    expect((await stat(place)).mode & 0o777).toBe(0o600);
    expect(text).toContain(`write Hana's secret into ${place}`);
    expect(text).toContain('Bring this file to Hana alone');
    expect(text).not.toContain(file.secret);
    expect(await onThisMachine()).toEqual(own);
    expect(JSON.stringify(await scene.deployment())).not.toContain(file.secret);

    expect((await scene.setup()).text).toContain(`Hana's secret is still in ${place}`);
    await rm(place);
    expect((await scene.setup()).isDone).toBe(true);
    expect(existsSync(place)).toBe(false);
    expect(await onThisMachine()).toEqual(own);
    await expectInStep();
  });

  test('keep the old secret beside a new one until it is finished', async () => {
    const old = await onThisMachine();
    await change('Sara', 'add', daysLater(3));
    const fresh = await onThisMachine();
    expect(fresh.secret).not.toBe(old.secret);
    expect(existsSync(placeOf(daysLater(3)))).toBe(false);
    expect(entries()).toEqual(expect.arrayContaining([entryOf(old), entryOf(fresh)]));
    await change('Sara', 'finish');
    expect(entries()).not.toContain(entryOf(old));
    expect(entries()).toContain(entryOf(fresh));
    await expectInStep();
  });

  test.each(['operator Sara', 'sessions'])(
    'rotation of %s says what still works',
    async (words) => {
      const what = words.split(' ');
      const { text } = await command({ what });
      expect(text).toMatch(/The old (secret|key) of .+ still works. To end it: npm .+ --finish$/m);
      const leaked = what.length === 1;
      expect((await command({ what, finish: true, leaked })).text).not.toContain('still works');
    },
  );

  test('get the same secret from a repeated command, after its upload failed', async () => {
    scene.cloudflare.failCall(
      'PATCH /accounts/{account}/workers/scripts/{script}/secrets-bulk',
      'answer lost',
    );
    expect((await change('Abel', 'add', daysLater(4))).isDone).toBe(false);
    const uploaded = entries();
    scene.cloudflare.recover();
    expect((await change('Abel', 'add', daysLater(5))).isDone).toBe(true);
    expect(entries()).toEqual(uploaded);
    expect(entries()).toContain(entryOf(await fileAt(placeOf(daysLater(4)))));
    expect((await change('Abel', 'remove')).isDone).toBe(true);
  });

  test('are not more than the back office takes', async () => {
    const deployment = await scene.deployment();
    const many = Array.from({ length: 20 }, (_, index) => ({
      name: `Person ${index}`,
      keyId: `k${index}`,
      sha256: '0'.repeat(64),
    }));
    const full = { ...deployment, operators: many };
    await writeDeployment('production', full, scene.directory);
    const { isDone, text } = await change('Hana', 'add', daysLater(6));
    expect(isDone).toBe(false);
    expect(text).toContain('OPERATOR_SECRETS takes 20 secrets');
    expect(scene.cloudflare.changes()).toEqual([]);
    await writeDeployment('production', deployment, scene.directory);
  });

  test('are not more than one secret holds', async () => {
    const deployment = await scene.deployment();
    const name = (index: number) => `${'ሀ'.repeat(90)} ${index}`;
    const many = Array.from({ length: 16 }, (_, index) => ({
      name: name(index),
      keyId: `k${index}`,
      sha256: '0'.repeat(64),
    }));
    await writeDeployment('production', { ...deployment, operators: many }, scene.directory);
    const { isDone, text } = await change('Hana', 'add', daysLater(6));
    expect(isDone).toBe(false);
    expect(text).toMatch(/OPERATOR_SECRETS has \d+ bytes, and Cloudflare takes 5120/);
    expect(scene.cloudflare.changes()).toEqual([]);
    expect((await scene.deployment()).operators).toEqual(many);
    await writeDeployment('production', deployment, scene.directory);
  });

  test('lose their secret when they leave, but one stays', async () => {
    expect((await change('Hana', 'remove')).isDone).toBe(true);
    expect(entries().map((entry) => entry.split(':')[0])).toEqual(['Sara']);
    const { isDone, text } = await change('Sara', 'remove');
    expect(isDone).toBe(false);
    expect(text).toContain('Sara is the only operator');
  });
});

test('a rotation that the gateway does not work with goes back, and continues later', async () => {
  const what = ['sessions'];
  const [old] = keyIds('BACK_OFFICE_KEYS', 'kefel-back-office');
  scene.wrong.after = ['payment'];
  const failed = await command({ what });
  expect(failed.isDone).toBe(false);
  expect(failed.text).toContain('Went back: kefel-back-office has BACK_OFFICE_KEYS of before.');
  expect(keyIds('BACK_OFFICE_KEYS', 'kefel-back-office')).toEqual([old]);
  // The new key may have signed meanwhile.
  expect((await scene.deployment()).keys.BACK_OFFICE_KEYS).toHaveLength(2);

  scene.wrong.after = [];
  expect((await command({ what })).isDone).toBe(true);
  expect(keyIds('BACK_OFFICE_KEYS', 'kefel-back-office')).toHaveLength(2);
  scene.wrong.after = ['payment'];
  const leaked = await command({ what, finish: true, leaked: true });
  expect(leaked.text).not.toContain('Went back');
  expect(keyIds('BACK_OFFICE_KEYS', 'kefel-back-office')).toHaveLength(1);
  scene.wrong.after = [];
});

describe('a rotated recovery key', () => {
  const BULK = 'PATCH /accounts/{account}/workers/scripts/{script}/secrets-bulk';
  const what = ['recovery-key'];
  const SECRETS = () => ({ ...scene.secrets('kefel'), ...scene.secrets('kefel-back-office') });
  /** After `RUN`, under the key that was first then. */
  const manifest = async (folder: string, base64: string, keyId: string) => {
    const ring = keyRing('BACKUP_KEYS', `${keyId}:${base64}`);
    const name = manifestName('20261127T013700Z');
    await mkdir(join(folder, 'runs'), { recursive: true });
    const lines = [{ run: '20261127T013700Z', secrets: { LINK_SIGNING_KEYS: 'k1:old' } }];
    await writeFile(join(folder, name), await sealPart(ring, name, lines));
  };

  test('changes nothing in a dry run, or for a person who does not accept what it costs', async () => {
    const [before, text] = [await scene.deployment(), await scene.recoveryText()];
    const dry = await command({ what }, { isDryRun: true });
    expect(dry.isDone).toBe(true);
    expect(dry.text).toContain('Would set LINK_SIGNING_KEYS of the Worker kefel');
    scene.answers = ['no'];
    const refused = await command({ what });
    scene.answers = null;
    expect(refused.isDone).toBe(false);
    expect(refused.text).toContain('Nothing was changed.');
    expect(scene.cloudflare.changes()).toEqual([]);
    expect([await scene.deployment(), await scene.recoveryText()]).toEqual([before, text]);
  });

  test.each(['reset', 'self-check', 'answer lost'] as const)(
    'is completed by the same command after a failure (%s), with one new key for each ring',
    async (fault) => {
      // A secret holds three RSA keys at most.
      for (const ring of SEALED_RINGS) {
        await rotate(ring, { isFinish: true, isLeaked: true });
      }
      const before = { secrets: SECRETS() };
      const oldText = await scene.recoveryText();
      const own = await readFile(scene.operatorsFile, 'utf8');
      const now = daysLater({ reset: 5000, 'self-check': 5500, 'answer lost': 6000 }[fault]);
      const rotated = () =>
        scene.withSetup((setup) =>
          runRotation(setup, { what, finish: false, leaked: false, remove: false }, now),
        );
      if (fault === 'self-check') {
        scene.wrong.after = ['payment'];
      } else {
        scene.cloudflare.failCall(BULK, fault);
      }
      const failed = await rotated();
      expect(failed.isDone).toBe(false);
      expect(failed.text.indexOf('What that costs')).toBeLessThan(failed.text.indexOf('Step 1'));
      expect(await scene.recoveryText()).toBe(oldText);
      if (fault === 'self-check') {
        expect(SECRETS()).toEqual(before.secrets);
      }
      scene.wrong.after = [];
      scene.cloudflare.recover();
      expect((await rotated()).isDone).toBe(true);

      expect(await scene.recoveryText()).not.toBe(oldText);
      const kept = scene.recoveryFile.replace('.txt', `-until-${keyIdAt(now)}.txt`);
      expect(await readFile(kept, 'utf8')).toBe(oldText);
      expect((await stat(scene.recoveryFile)).mode & 0o777).toBe(0o600);
      await expectInStep();
      const oldKey = parseRecoveryKey(oldText);
      for (const ring of RINGS) {
        const [fresh, ...older] = String(SECRETS()[ring]).split(',');
        expect(fresh).toMatch(`${keyIdAt(now)}:`);
        expect(fresh).not.toContain(derivedKey(oldKey, ring, keyIdAt(now)));
        expect(older.join(',')).toBe(before.secrets[ring]);
      }
      expect(SECRETS().OPERATOR_SECRETS).toBe(before.secrets.OPERATOR_SECRETS);
      expect(await readFile(scene.operatorsFile, 'utf8')).toBe(own);
      const deployment = await scene.deployment();
      await expect(secretsOf(deployment, oldKey)).rejects.toThrow('another deployment');
    },
  );

  test('opens older backups with the deployment file, and without it by the old one', async () => {
    const deployment = await scene.deployment();
    const key = parseRecoveryKey(await scene.recoveryText());
    const [, older] = await openRing(deployment, key, 'BACKUP_KEYS');
    const folder = join(scene.home, 'copy');
    await manifest(folder, older?.base64 ?? '', older?.keyId ?? '');
    const run = '20261127T013700Z';
    const recovered = await recoveredSecrets(folder, run, key, deployment);
    expect(recovered).toMatchObject({ LINK_SIGNING_KEYS: 'k1:old' });
    await expect(recoveredSecrets(folder, run, key)).rejects.toThrow(UnreadablePart);
    const kept = scene.recoveryFile.replace('.txt', `-until-${keyIdAt(daysLater(6000))}.txt`);
    const old = parseRecoveryKey(await readFile(kept, 'utf8'));
    // This key was the first one under the old recovery key.
    expect(await recoveredSecrets(folder, run, old)).toMatchObject({ LINK_SIGNING_KEYS: 'k1:old' });
  });

  test('ends the keys of before ring by ring', async () => {
    expect((await rotate('LINK_SIGNING_KEYS', { isFinish: true, isLeaked: true })).isDone).toBe(
      true,
    );
    expect(keyIds('LINK_SIGNING_KEYS')).toEqual([keyIdAt(daysLater(6000))]);
    await expectInStep();
  });
});

describe('a teardown', () => {
  test("deletes nothing without the account's name", async () => {
    for (const answers of [null, ['Other account']]) {
      scene.answers = answers;
      const { isDone, text } = await scene.teardown({});
      expect(isDone).toBe(false);
      expect(text).toContain("the account's name was not confirmed");
      expect(scene.cloudflare.changes()).toEqual([]);
    }
    scene.answers = null;
  });

  test("of production deletes nothing without the deployment's name", async () => {
    const accountName = scene.cloudflare.state.name;
    for (const answers of [null, ['staging']]) {
      scene.answers = answers;
      const { isDone, text } = await scene.teardown({ accountName });
      expect(isDone).toBe(false);
      expect(text).toContain("the deployment's name was not confirmed");
      expect(scene.cloudflare.changes()).toEqual([]);
    }
    scene.answers = null;
  });

  test('deletes all but the recovery file, also after a failure in the middle', async () => {
    const { state } = scene.cloudflare;
    const names = { accountName: state.name, deploymentName: 'production' };
    scene.cloudflare.failCall('DELETE /accounts/{account}/queues/{queue}');
    const broken = await scene.teardown(names);
    expect(broken.isDone).toBe(false);
    expect(broken.text).toContain('To continue, run: ');
    scene.cloudflare.recover();
    expect((await scene.teardown(names)).isDone).toBe(true);
    expect([...state.scripts, ...state.queues, ...state.databases, ...state.buckets]).toEqual([]);
    expect(existsSync(scene.recoveryFile)).toBe(true);
    expect(existsSync(scene.operatorsFile)).toBe(false);
    await expect(scene.deployment()).rejects.toThrow('run `npm run setup` first');
  });
});

test('a teardown ends the addresses, and leaves backups and the list of their keys, unless told', async () => {
  await using other = await setupScene();
  await other.setup({ url: 'https://pay.example.com' });
  const { state, runtime } = other.cloudflare;
  expect([state.domains, state.routes].map(({ length }) => length > 0)).toEqual([true, true]);
  state.scripts.clear();
  await (await runtime.bucket('kefel-backups')).put('payments/sandbox/a b/1', 'sealed');
  const names = { accountName: state.name, deploymentName: 'production' };
  const { isDone, text } = await other.teardown(names);
  expect(isDone).toBe(true);
  expect(text).toContain('The bucket kefel-backups has backups, so it stays.');
  expect([...state.domains, ...state.routes]).toEqual([]);
  expect(state.buckets).toHaveLength(1);
  expect((await other.deployment()).keys.BACKUP_KEYS).toHaveLength(1);
  expect((await other.teardown({ ...names, isWithBackups: true })).isDone).toBe(true);
  expect(state.buckets).toEqual([]);
});
