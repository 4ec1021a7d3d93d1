import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { secretsOf } from '../../scripts/deployment/keys.ts';
import { parseRecoveryKey } from '../../scripts/deployment/recovery-key.ts';
import {
  type OperatorRotation,
  operatorSteps,
  type Rotation,
  ringSteps,
} from '../../scripts/setup/rotate.ts';
import { keyRing } from '../../src/config.ts';
import { publishedKeys } from '../../src/webhooks/published-keys.ts';
import { type SetupScene, setupScene } from '../support/setup-scene.ts';

/**
 * Goal: keys are rotated, and a trial is deleted, by one command that loses nothing in use and
 * continues after a failure. Method: as in setup-cases.test.ts, with times that the tests choose.
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

  test('gets no third key, and nothing twice, from a repeated command', async () => {
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

  test('loses a leaked key at once', async () => {
    const [, leaked] = keyIds('LINK_SIGNING_KEYS');
    const given = { isFinish: true, isLeaked: true };
    expect((await rotate('LINK_SIGNING_KEYS', given)).isDone).toBe(true);
    expect(keyIds('LINK_SIGNING_KEYS')).not.toContain(leaked);
  });
});

describe('data keys', () => {
  const database = () => scene.database('kefel');

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

  test('go when merchants have replaced what they made', async () => {
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
    return scene.steps((setup) => operatorSteps(setup, { name, change: what, now }));
  }
  const entries = () => String(scene.secrets('kefel-back-office').OPERATOR_SECRETS).split(',');
  const onThisMachine = async () => JSON.parse(await readFile(scene.operatorsFile, 'utf8')).secrets;

  test('get a secret of their own when they join', async () => {
    expect((await change('Hana', 'add', daysLater(2))).isDone).toBe(true);
    expect(entries().map((entry) => entry.split(':')[0])).toEqual(['Hana', 'Sara']);
    expect(entries()).toContain(`Hana:${(await onThisMachine()).Hana}`);
  });

  test('keep the old secret beside a new one until it is finished', async () => {
    const old = (await onThisMachine()).Sara;
    await change('Sara', 'add', daysLater(3));
    const fresh = (await onThisMachine()).Sara;
    expect(fresh).not.toBe(old);
    expect(entries()).toEqual(expect.arrayContaining([`Sara:${old}`, `Sara:${fresh}`]));
    await change('Sara', 'finish');
    expect(entries()).not.toContain(`Sara:${old}`);
    expect(entries()).toContain(`Sara:${fresh}`);
    await expectInStep();
  });

  test('lose their secret when they leave, but one stays', async () => {
    expect((await change('Hana', 'remove')).isDone).toBe(true);
    expect(entries().map((entry) => entry.split(':')[0])).toEqual(['Sara']);
    const { isDone, text } = await change('Sara', 'remove');
    expect(isDone).toBe(false);
    expect(text).toContain('Sara is the only operator');
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
    expect(broken.text).toContain('To continue, run the same command again');
    scene.cloudflare.recover();
    expect((await scene.teardown(names)).isDone).toBe(true);
    expect([...state.scripts, ...state.queues, ...state.databases, ...state.buckets]).toEqual([]);
    expect(existsSync(scene.recoveryFile)).toBe(true);
    expect(existsSync(scene.operatorsFile)).toBe(false);
    await expect(scene.deployment()).rejects.toThrow('run `npm run setup` first');
  });
});

test('a teardown leaves backups and the list of their keys, unless told', async () => {
  await using other = await setupScene();
  await other.setup();
  const { state, runtime } = other.cloudflare;
  state.scripts.clear();
  await (await runtime.bucket('kefel-backups')).put('payments/sandbox/a b/1', 'sealed');
  const names = { accountName: state.name, deploymentName: 'production' };
  const { isDone, text } = await other.teardown(names);
  expect(isDone).toBe(true);
  expect(text).toContain('The bucket kefel-backups has backups, so it stays.');
  expect(state.buckets).toHaveLength(1);
  expect((await other.deployment()).keys.BACKUP_KEYS).toHaveLength(1);
  expect((await other.teardown({ ...names, isWithBackups: true })).isDone).toBe(true);
  expect(state.buckets).toEqual([]);
});
