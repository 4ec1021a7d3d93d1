import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { SCENARIOS } from '../../clients/cli/trigger.ts';
import { PROJECT_DIRECTORY, writeWhole } from '../../scripts/project/files.ts';
import { CliRun, Network } from '../support/e2e-cli.ts';
import { type ReceivedRequest, status } from '../support/e2e-merchant-server.ts';
import { createSimulated, eventually, newId, untilStatus, useScene } from '../support/e2e-scene.ts';
import { verifiedWebhook } from '../support/e2e-webhook.ts';

/**
 * Goal: `kefel` tries webhooks on a developer's machine as docs/sandbox.md#cli says. Method: run it against
 * the shared gateway, as a merchant of its own.
 */

const execute = promisify(execFile);

const scene = await useScene('cli');
const runs: CliRun[] = [];

afterEach(async () => {
  await Promise.all(runs.splice(0).map((run) => run.stop()));
});

function start(words: readonly string[], url = scene.gateway.baseUrl): CliRun {
  const env = { KEFEL_API_KEY: scene.merchant.sandboxApiKey, KEFEL_URL: url };
  const run = new CliRun(words, env);
  runs.push(run);
  return run;
}

async function done(...words: string[]): Promise<string> {
  const { exitCode, output, errors } = await start(words).finished;
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
  return output;
}

/** A `kefel listen` that is connected. */
async function listening(words: readonly string[], url?: string): Promise<CliRun> {
  const run = start(['listen', ...words], url);
  await run.until('Listening');
  return run;
}

function secretIn({ output }: CliRun): string {
  return /whsec_\S+/.exec(output)?.[0] ?? '';
}

/** The events that a run has printed of one payment. */
function eventsOf({ output }: CliRun, uniqueId: string): string[] {
  return output
    .split('\n')
    .filter((line) => line.includes(`  ${uniqueId}  `))
    .map((line) => line.split('  ')[0] ?? '');
}

function idOf({ headers }: ReceivedRequest): string | undefined {
  return headers['webhook-id'];
}

describe('kefel listen', () => {
  test('forwards what kefel trigger makes, byte for byte, with a signature that verifies', async () => {
    const [local, callback] = [scene.server.endpoint(), scene.server.endpoint()];
    const run = await listening(['--forward-to', local.url]);
    const id = newId();
    await done('trigger', 'success', '--id', id, '--callback-url', callback.url);
    const [forwarded, posted] = [await local.request(0), await callback.request(0)];
    expect(forwarded.rawBody.equals(posted.rawBody)).toBe(true);
    expect(idOf(forwarded)).toBe(idOf(posted));
    const keys = { ...scene.keys, secret: secretIn(run) };
    expect(verifiedWebhook(forwarded, keys)).toMatchObject({
      webHookEvent: 'PAYMENT_SUCCESS',
      paymentIntentUniqueId: id,
    });
    await run.until(`→ 200 from ${local.url}`);
    expect(eventsOf(run, id)).toEqual(['PAYMENT_SUCCESS']);
  });

  test('signs with the same secret each time, which is not the merchant’s', async () => {
    const words = ['--forward-to', scene.server.endpoint().url];
    const secrets = [await listening(words), await listening(words)].map(secretIn);
    expect(secrets[0]).toBe(secrets[1]);
    expect(secrets[0]).not.toBe(scene.keys.secret);
  });

  test('says what the server answered, and goes on after a failure', async () => {
    const local = scene.server.endpoint(status(500), status(204));
    const run = await listening(['--forward-to', local.url]);
    await createSimulated(scene);
    await run.until(`→ 500 from ${local.url}`);
    await createSimulated(scene);
    await run.until(`→ 204 from ${local.url}`);
    const nowhere = await listening(['--forward-to', 'localhost:9']);
    await createSimulated(scene);
    await nowhere.until('→ no answer from http://localhost:9/');
  });

  test('loses no event while the network is down', async () => {
    const network = await Network.to(scene.gateway.baseUrl);
    try {
      const local = scene.server.endpoint();
      const run = await listening(['--forward-to', local.url], network.url);
      const before = await createSimulated(scene);
      await local.request(0);
      network.cut();
      await run.until('Connection lost');
      const missed = [await createSimulated(scene), await createSimulated(scene)];
      await Promise.all(missed.map(({ hook }) => hook.request(0)));
      network.mend();
      await run.until('Connected again');
      const expected = [before, ...missed].map(async ({ hook }) => idOf(await hook.request(0)));
      await local.request(expected.length - 1);
      const witness = await createSimulated(scene);
      const ids = [...(await Promise.all(expected)), idOf(await witness.hook.request(0))];
      await local.request(expected.length);
      expect(local.requests.map(idOf).sort()).toEqual(ids.sort());
    } finally {
      await network.stop();
    }
  });

  test('begins after an event, so that two runs lose no event between them', async () => {
    const watch = await listening([]);
    const first = await createSimulated(scene);
    const firstId = idOf(await first.hook.request(0)) ?? '';
    await watch.until(firstId);
    await watch.stop();
    const second = await createSimulated(scene);
    const secondId = idOf(await second.hook.request(0)) ?? '';
    const run = await listening(['--after', firstId, '--body']);
    await run.until(secondId);
    await run.until(`"uniqueId": "${second.uniqueId}"`);
    expect(run.output).not.toContain(firstId);
  });
});

/** The events that each outcome brings, in order. */
const EVENTS: Readonly<Record<string, readonly string[]>> = {
  success: ['PAYMENT_SUCCESS'],
  failure: ['PAYMENT_FAILED'],
  expired: ['PAYMENT_EXPIRED'],
  late: ['PAYMENT_EXPIRED', 'PAYMENT_SUCCESS'],
  declined: ['PAYMENT_FAILED'],
  insufficient_funds: ['PAYMENT_FAILED'],
  canceled_by_customer: ['PAYMENT_FAILED'],
  wrong_pin: ['PAYMENT_FAILED'],
  abandoned: ['PAYMENT_FAILED'],
  timed_out: ['PAYMENT_FAILED'],
  rail_unavailable: ['PAYMENT_FAILED'],
  misconfigured: ['PAYMENT_FAILED'],
  paid_slowly: ['PAYMENT_SUCCESS'],
  unknown_then_paid: ['PAYMENT_SUCCESS'],
  paid_late: ['PAYMENT_EXPIRED', 'PAYMENT_SUCCESS'],
  paid_held: ['PAYMENT_SUCCESS'],
  refunded: ['PAYMENT_SUCCESS', 'REFUND_SUCCESS'],
  refund_processed_slowly: ['PAYMENT_SUCCESS', 'REFUND_SUCCESS'],
  refund_declined: ['PAYMENT_SUCCESS', 'REFUND_FAILED'],
  refund_insufficient_funds: ['PAYMENT_SUCCESS', 'REFUND_FAILED'],
  refund_pending: ['PAYMENT_SUCCESS', 'REFUND_SUCCESS'],
};

/** Refunds that take a minute and more, and the status in which they wait. */
const SLOW_REFUNDS: Readonly<Record<string, string>> = {
  refund_unknown_then_refunded: 'PROCESSING',
  refund_requires_action: 'REQUIRES_ACTION',
};

describe('kefel trigger', () => {
  test('makes each outcome', async () => {
    // `expired_held` ends after 35 s; test/workers/checkout/simulator-scenarios.long.test.ts has it.
    const names = [...Object.keys(EVENTS), ...Object.keys(SLOW_REFUNDS), 'expired_held'];
    expect(Object.keys(SCENARIOS).sort()).toEqual(names.sort());
    const run = await listening([]);
    const ids = new Map(Object.keys(EVENTS).map((name) => [name, newId()]));
    await Promise.all(
      [...ids].map(async ([name, id]) => {
        expect(await done('trigger', name, '--id', id)).toContain(id);
      }),
    );
    for (const [name, id] of ids) {
      const last = EVENTS[name]?.at(-1);
      await run.until(`${last}  ${id}  `);
      expect({ name, events: eventsOf(run, id) }).toEqual({ name, events: EVENTS[name] });
    }
  });

  test.each(Object.entries(SLOW_REFUNDS))('begins %s, which takes long', async (name, status) => {
    const [, id = ''] = /^(refund-\w+): PENDING$/m.exec(await done('trigger', name)) ?? [];
    await eventually(
      async () => JSON.parse(await done('refunds', id)).status,
      (now) => now === status,
    );
  });

  test('passes metadata and the method on', async () => {
    const id = newId();
    const words = ['--method', 'M_PESA', '--metadata', 'order=7', '--metadata', 'note=a=b'];
    await done('trigger', 'success', '--id', id, ...words);
    expect(await untilStatus(scene, id, 'SUCCESS')).toMatchObject({
      transaction: { paymentType: 'M_PESA' },
      metadata: { order: '7', note: 'a=b' },
    });
  });
});

describe('kefel refund, refunds', () => {
  test('returns a part and the rest of a payment, and lists both', async () => {
    const { uniqueId, hook } = await createSimulated(scene);
    await hook.request(0);
    const words = ['--amount-minor', '1050', '--reason', 'torn', '--id', `part-${uniqueId}`];
    expect(await done('refund', uniqueId, ...words)).toBe(
      `part-${uniqueId}: PENDING, 10.50 ETB of ${uniqueId}\n`,
    );
    const rest = await done('refund', uniqueId);
    expect(rest).toMatch(/^refund-[0-9a-f]{12}: PENDING, 15\.00 ETB of /);
    const listed = await eventually(
      () => done('refunds', '--payment', uniqueId, '--status', 'SUCCESS', '--from', '1h'),
      (output) => output.split('\n').length > 2,
    );
    const row = (amount: string, id: string) =>
      `20\\S+Z {2}SUCCESS {2}${amount} ETB {2}${uniqueId} {2}${id}`;
    expect(listed).toMatch(
      new RegExp(
        `^${row('15\\.00', rest.split(':')[0] ?? '')}\\n${row('10\\.50', `part-${uniqueId}`)}\\n$`,
      ),
    );
    expect(JSON.parse(await done('refunds', `part-${uniqueId}`))).toMatchObject({
      status: 'SUCCESS',
      reason: 'torn',
    });
  });

  test('refunds the transaction that --transaction names', async () => {
    const { uniqueId, hook } = await createSimulated(scene);
    await hook.request(0);
    const run = start(['refund', uniqueId, '--transaction', 'unknown']);
    const { exitCode, errors } = await run.finished;
    expect({ exitCode, errors }).toMatchObject({
      exitCode: 1,
      errors: expect.stringContaining('the payment has no such transaction'),
    });
    const { transaction } = await untilStatus(scene, uniqueId, 'SUCCESS');
    const words = ['--transaction', String(transaction?.transactionId)];
    expect(await done('refund', uniqueId, ...words)).toContain('25.50 ETB');
  });

  test('says that a refund may exist when no answer comes', async () => {
    const network = await Network.to(scene.gateway.baseUrl);
    network.cut();
    const { exitCode, errors } = await start(['refund', 'order', '--id', 'r-7'], network.url)
      .finished;
    await network.stop();
    expect({ exitCode, errors }).toMatchObject({
      exitCode: 1,
      errors: expect.stringContaining('look: kefel refunds r-7'),
    });
  });

  test('returns real money only with --live', async () => {
    const env = {
      KEFEL_API_KEY: scene.merchant.productionApiKey,
      KEFEL_URL: scene.gateway.baseUrl,
    };
    const [without, live] = [
      ['refund', 'none'],
      ['refund', 'none', '--live'],
    ].map((words) => new CliRun(words, env).finished);
    expect((await without)?.errors).toContain('add --live');
    expect((await live)?.errors).toContain('404 payment_not_found');
  });
});

describe('kefel payments, events, resend', () => {
  /** The id of the only event of a payment, once it is in the list. */
  function listed(uniqueId: string): Promise<string> {
    return eventually(
      async () =>
        /evt_\w+/.exec(rowOf(await done('events', '--limit', '100'), uniqueId))?.[0] ?? '',
      (id) => id !== '',
    );
  }

  function rowOf(output: string, uniqueId: string): string {
    return output.split('\n').find((line) => line.includes(`  ${uniqueId}`)) ?? '';
  }

  test('lists payments by their filters', async () => {
    const id = newId();
    await done('trigger', 'insufficient_funds', '--id', id, '--metadata', `id=${id}`);
    await listed(id);
    const row = rowOf(await done('payments', '--status', 'FAILED', '--from', '1h'), id);
    expect(row).toMatch(/^20.*Z {2}FAILED +100\.02 ETB +CBE +\S+ +insufficient_funds$/);
    const unpaid = await done('payments', '--metadata', `id=${id}`, '--paid-from', '1h', '--json');
    expect(JSON.parse(unpaid).data).toEqual([]);
    const byMetadata = JSON.parse(await done('payments', '--metadata', `id=${id}`, '--json'));
    expect(byMetadata).toMatchObject({ data: [{ uniqueId: id }], hasMore: false });
    expect(JSON.parse(await done('payments', id))).toMatchObject({ uniqueId: id, anomalies: [] });
  });

  test('turns the page', async () => {
    const { uniqueId: older } = await createSimulated(scene);
    await listed(older);
    const { uniqueId: newer } = await createSimulated(scene);
    await listed(newer);
    const first = await start(['payments', '--limit', '1']).finished;
    expect(first.output).toContain(newer);
    const [, cursor = ''] = /--cursor (\S+)/.exec(first.errors) ?? [];
    const second = await start(['payments', '--limit', '1', '--cursor', cursor]).finished;
    expect(second.output).toContain(older);
  });

  test('shows an event, and sends it again to its endpoint or to this machine', async () => {
    const { uniqueId, hook } = await createSimulated(scene);
    const posted = await hook.request(0);
    const id = await listed(uniqueId);
    expect(idOf(posted)).toBe(id);
    const event = JSON.parse(await done('events', id));
    expect(event).toMatchObject({ id, payload: posted.rawBody.toString() });

    const local = scene.server.endpoint(status(201));
    const output = await done('resend', id, '--forward-to', local.url);
    expect(output).toContain(`201 from ${local.url}`);
    const forwarded = await local.request(0);
    expect(forwarded.rawBody.equals(posted.rawBody)).toBe(true);
    const run = await listening(['--forward-to', local.url]);
    verifiedWebhook(forwarded, { ...scene.keys, secret: secretIn(run) });

    await eventually(
      () => done('events', id),
      (text) => text.includes('"state": "delivered"'),
    );
    expect(await done('resend', id)).toBe(`${id}: queued\n`);
    expect(idOf(await hook.request(1))).toBe(id);
  });

  test('sends again what was not delivered since a time', async () => {
    const { uniqueId, hook } = await createSimulated(scene, [status(410), status(200)]);
    await hook.request(0);
    await eventually(
      async () => rowOf(await done('events', '--state', 'dead'), uniqueId),
      (row) => row.includes('dead (HTTP 410)'),
    );
    expect(await done('resend', '--since', '10m')).toMatch(/^[1-9]\d* sent again/);
    await hook.request(1);
  });
});

describe('kefel links', () => {
  test('makes links of each price, and changes, lists and ends them', async () => {
    const [fixed, open, items] = [newId(), newId(), newId()];
    const page = /\/pay\/\S+\n$/;
    const honey = await done(
      'links',
      'create',
      '--id',
      fixed,
      '--title',
      'Honey',
      '--amount',
      '450',
    );
    expect(honey).toMatch(page);
    expect(honey).toContain(`${fixed}  active  450.00 ETB  Honey  http`);
    const gift = await done(
      ...['links', 'create', '--id', open, '--title', 'Gift', '--min', '10', '--max', '99'],
    );
    expect(gift).toContain('10.00 to 99.00 ETB');
    const directory = await mkdtemp(join(tmpdir(), 'kefel-links-'));
    try {
      const file = join(directory, 'link.json');
      const bag = { name: 'Bag', type: 'PHYSICAL_PRODUCT', price: 120 };
      await writeWhole(file, JSON.stringify({ title: 'Overridden', items: [bag] }));
      const shop = ['links', 'create', '--id', items, '--file', file, '--title', 'Shop', '--json'];
      expect(JSON.parse(await done(...shop))).toMatchObject({ title: 'Shop', items: [bag] });
      await writeWhole(file, '[]');
      const { errors } = await start(['links', 'change', items, '--file', file]).finished;
      expect(errors).toContain('must have a JSON object');
    } finally {
      await rm(directory, { recursive: true });
    }
    expect(await done('links', 'change', fixed, '--amount', '399')).toContain('399.00 ETB');
    expect(await done('links', 'change', fixed, '--open')).toContain('1.00 or more ETB');
    expect(await done('links', 'change', fixed, '--amount', '420')).toContain('420.00 ETB');
    expect(await done('links', 'deactivate', open)).toContain(`${open}  inactive`);
    expect(JSON.parse(await done('links', 'show', open))).toMatchObject({ isActive: false });
    const active = await done('links', 'list', '--active', 'true', '--from', '1h');
    expect(active).toMatch(new RegExp(`^20\\S+Z +${items} +active +1 item +Shop +http\\S+$`, 'm'));
    expect(active).not.toContain(open);
    expect(await done('links', 'change', open, '--active', 'true')).toContain('  active  ');
  });

  test('explains its commands', async () => {
    for (const words of [['links'], ['links', '--help']]) {
      const overview = await done(...words);
      for (const command of ['create', 'list', 'show ID', 'change ID', 'deactivate ID']) {
        expect(overview).toContain(`  links ${command} `);
      }
      expect(overview).not.toContain('listen');
    }
    expect(await done('links', 'create', '--help')).toContain('kefel links create [options]');
  });
});

test('is one file that runs outside the checkout, once it is packed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kefel-cli-'));
  try {
    const cli = join(PROJECT_DIRECTORY, 'clients', 'cli');
    const { stdout } = await execute('npm', ['pack', '--pack-destination', folder], { cwd: cli });
    const archive = stdout.trim().split('\n').at(-1) ?? '';
    await execute('tar', ['-xzf', archive], { cwd: folder });
    const packed = join(folder, 'package', 'dist', 'kefel.js');
    const { exitCode, output } = await new CliRun(['--help'], {}, folder, packed).finished;
    expect({ exitCode, output }).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/listen/),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('finds the gateway and the key that `npm run dev` wrote in the folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kefel-cli-'));
  try {
    const { baseUrl } = scene.gateway;
    const merchant = { baseUrl, sandboxApiKey: scene.merchant.sandboxApiKey };
    await writeWhole(join(folder, '.wrangler', 'demo-merchant.json'), JSON.stringify(merchant));
    const { exitCode } = await new CliRun(['trigger', 'success'], {}, folder).finished;
    expect(exitCode).toBe(0);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.each([
  [''],
  ['--help'],
  ['listen --help'],
  ['trigger --help'],
  ['payments --help'],
  ['refund --help'],
  ['refunds --help'],
  ['events --help'],
  ['resend --help'],
])('helps: kefel %s', async (line) => {
  const words = line.split(' ').filter(Boolean);
  const { exitCode, output } = await new CliRun(words).finished;
  expect(exitCode).toBe(0);
  expect(output).toMatch(/^kefel .*--help/s);
});
