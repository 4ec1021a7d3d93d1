import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { prepareLocalDatabase } from '../../scripts/dev/d1.ts';
import { localSecrets } from '../../scripts/dev/local-secrets.ts';
import { insertDeadLetter } from '../../src/control/dead-letters/store.ts';
import { keyRing } from '../../src/engine/config.ts';
import { AlertReceivers } from '../support/alert-receivers.ts';
import { operate, runOperator } from '../support/e2e-operator.ts';
import { type OwnScene, startScene } from '../support/e2e-scene.ts';

/**
 * Goal: what needs a person reaches one by every channel, and its end does, too; and an outside
 * monitor notices when the gateway is gone (docs/decisions.md#63). Method: the built Workers, with
 * Telegram, a receiver and a monitor played here. The local runtime writes mails into files.
 */

const HOUR_MS = 60 * 60_000;
/** The wait before the second try of a message is 10 s. */
const SENT_WITHIN = { timeout: 60_000, interval: 100 };
const LETTER = 'letter-1';

let receivers: AlertReceivers;
let scene: OwnScene;
let stateDirectory: string;

beforeAll(async () => {
  receivers = await AlertReceivers.start();
  scene = await startScene({
    name: 'alerts',
    variables: [
      ...Object.entries(receivers.bindings).map(([name, value]) => `${name}:${value}`),
      'ALERT_EMAIL_FROM:kefel@example.com',
      'ALERT_EMAIL_TO:hana@example.com',
      'BACK_OFFICE_BASE_URL:https://desk.example.com',
    ],
    prepare: async (directory) => {
      stateDirectory = directory;
      await prepareLocalDatabase(directory, async () => [await givenUpMessage()]);
    },
  });
});

afterAll(async () => {
  await scene?.close();
  await receivers.stop();
});

/** What the consumer of a queue of dead letters stores. */
async function givenUpMessage() {
  const { DATA_ENCRYPTION_KEYS } = await localSecrets();
  const keys = keyRing('DATA_ENCRYPTION_KEYS', DATA_ENCRYPTION_KEYS);
  const message = { id: LETTER, timestamp: new Date(), body: {} };
  return insertDeadLetter(keys, 'kefel-webhooks', message, Date.now());
}

/** The mails' texts, oldest first. */
async function mails(): Promise<readonly string[]> {
  const files = (await scene.gateway.logs()).matchAll(/^Text: (\/\S+\.txt)$/gm);
  return Promise.all([...files].map(([, file = '']) => readFile(file, 'utf8')));
}

/** The text with which every channel says it. */
async function saidByAll(type: string): Promise<string> {
  return vi.waitFor(async () => {
    const data = receivers.events.find((alert) => alert.type === type)?.data;
    const text = String(data?.text);
    expect(receivers.chat).toContain(text);
    expect(await mails()).toContain(text);
    return text;
  }, SENT_WITHIN);
}

/** Sets back what the object remembers of times, while the gateway is down. */
function letTimePass(ms: number): void {
  const directory = join(stateDirectory, 'v3', 'do', 'kefel-OperatorAlerts');
  const alarms = new DatabaseSync(join(directory, 'metadata.sqlite'));
  const { id } = Object(alarms.prepare('SELECT actor_id AS id FROM _cf_ALARM').get());
  const nanoseconds = ms * 1_000_000;
  alarms.exec(`UPDATE _cf_ALARM SET scheduled_time = scheduled_time - ${nanoseconds}`);
  alarms.close();
  const object = new DatabaseSync(join(directory, `${id}.sqlite`));
  object.exec(`UPDATE _cf_METADATA SET value = value - ${nanoseconds} WHERE key = 1`);
  const setBack = (name: string, field: string) =>
    object
      .prepare(
        "UPDATE memory SET value = json_set(value, '$.' || ?1, value ->> ?1 - ?2) WHERE name = ?3",
      )
      .run(field, ms, name);
  const changed = [
    setBack('look', 'atMs'),
    setBack('beats', 'beatAtMs'),
    setBack('beats', 'triedAtMs'),
  ];
  expect(changed.map(({ changes }) => changes)).toEqual([1, 1, 1]);
  object.close();
}

/** Whether the monitor warns, which it does two hours after the last call. */
function isSilent(atMs: number): boolean {
  return atMs - Math.max(...receivers.beats) > 2 * HOUR_MS;
}

test('what needs a person and its end reach Telegram, a webhook and a mailbox', async () => {
  const { gateway } = scene;
  receivers.busyCalls = 1;
  // The test wakes the object, which finds what needs a person.
  expect(await operate(gateway.baseUrl, 'alert', 'test', 'webhook')).toMatch(/^Sent /);
  const text = await saidByAll('alert.new');
  expect(text).toContain('1 message given up by a queue');
  expect(text).toContain('https://desk.example.com/docs/night#dead_letters');
  expect(receivers.busyCalls).toBe(0);
  expect(receivers.events).toMatchObject([
    { type: 'alert.test' },
    {
      type: 'alert.new',
      data: { subject: 'dead_letters', dedupKey: 'kefel/dead_letters', count: 1 },
    },
  ]);
  const listed = await runOperator(gateway.baseUrl, ['alerts', '--quiet']);
  expect([listed.exitCode, listed.output]).toEqual([
    1,
    expect.stringMatching(/^dead_letters +1 /m),
  ]);

  await operate(gateway.baseUrl, 'dead-letter', 'discard', LETTER, '--reason', 'Known');
  await gateway.kill();
  letTimePass(HOUR_MS);
  await gateway.restart();
  await saidByAll('alert.resolved');
  expect(receivers.events.map(({ type }) => type)).toEqual([
    'alert.test',
    'alert.new',
    'alert.resolved',
  ]);
  const quiet = await runOperator(gateway.baseUrl, ['alerts', '--quiet']);
  expect([quiet.exitCode, quiet.output]).toEqual([0, '']);
});

test('each button sends a test message', async () => {
  for (const channel of ['telegram', 'webhook', 'email']) {
    expect(await operate(scene.gateway.baseUrl, 'alert', 'test', channel)).toMatch(/^Sent /);
  }
  await saidByAll('alert.test');
});

test('the monitor hears the gateway each hour, and notices when it is gone', async () => {
  await vi.waitFor(() => expect(receivers.beats).toHaveLength(2), SENT_WITHIN);
  await scene.gateway.kill();
  expect(isSilent(Date.now() + HOUR_MS)).toBe(false);
  expect(isSilent(Date.now() + 3 * HOUR_MS)).toBe(true);
});
