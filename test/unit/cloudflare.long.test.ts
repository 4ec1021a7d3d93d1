import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { Cloudflare as Client, CloudflareError } from '../../scripts/deployment/cloudflare.ts';
import { CONTRACT_FILE } from '../support/cloudflare/contract.ts';
import { Router } from '../support/cloudflare/gateway.ts';
import {
  type Cloudflare,
  type CloudflareOptions,
  startCloudflare,
} from '../support/cloudflare/server.ts';

/**
 * Goal: tests of deployments can trust the local Cloudflare: it takes only calls that wrangler makes,
 * refuses what Cloudflare refuses, and runs what was deployed. Method: calls by hand, each against a
 * new account, with Workers of a few lines.
 */

let cloudflare: Cloudflare | null = null;

async function start(options: CloudflareOptions = {}) {
  const started = await startCloudflare(options);
  cloudflare = started;
  const client = new Client(started.token, started.url);
  const account = `/accounts/${started.accountId}`;
  const call = (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
  ) => client.call<Record<string, unknown>>({ method, path: `${account}${path}`, body });
  return { started, client, account, call };
}

afterEach(async () => {
  const running = cloudflare;
  cloudflare = null;
  await running?.stop();
});

/** The code of the error that a call is answered with. */
async function codeOf(call: Promise<unknown>): Promise<number | null> {
  const error = await call.then(
    () => expect.unreachable('the call succeeds'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(CloudflareError);
  return (error as CloudflareError).code;
}

const BINDINGS = [
  { type: 'version_metadata', name: 'VERSION' },
  { type: 'durable_object_namespace', name: 'COUNTER', class_name: 'Counter' },
];
const EXPORTS = { Counter: { type: 'durable-object', storage: 'sqlite' } };

/** A Worker that names its version and that of its object, which counts. */
const codeOfVersion = (name: string) => `import { DurableObject } from 'cloudflare:workers';
  export class Counter extends DurableObject {
    async count() {
      const count = 1 + ((await this.ctx.storage.get('count')) ?? 0);
      await this.ctx.storage.put('count', count);
      return { count, object: '${name}' };
    }
  }
  export default {
    async fetch(request, env) {
      if (new URL(request.url).pathname === '/throw') throw new Error('planted');
      const sent = await request.text();
      const counted = await env.COUNTER.getByName('one').count();
      return Response.json({ worker: '${name}', id: env.VERSION.id, url: request.url, sent, ...counted });
    },
  };`;

async function upload(
  { url, token, accountId }: Cloudflare,
  path: string,
  code: string,
  { bindings = BINDINGS, exports = EXPORTS }: { bindings?: object[]; exports?: object } = {},
) {
  const client = new Client(token, url);
  const script = `/accounts/${accountId}/workers/scripts/${path.split('/')[0]}`;
  const { jwt } = await client.call<{ readonly jwt: string }>({
    method: 'POST',
    path: `${script}/assets-upload-session`,
    body: { manifest: {} },
  });
  const form = new FormData();
  const metadata = {
    main_module: 'index.js',
    bindings,
    compatibility_date: '2026-11-01',
    compatibility_flags: [],
    exports,
    keep_bindings: ['secret_text', 'secret_key'],
    assets: { jwt, config: { run_worker_first: ['/*'], _headers: '' } },
  };
  form.append('metadata', JSON.stringify(metadata));
  const file = new File([code], 'index.js', { type: 'application/javascript+module' });
  form.append('index.js', file, 'index.js');
  const isVersion = path.endsWith('/versions');
  const response = await fetch(
    `${url}/accounts/${accountId}/workers/scripts/${path}?bindings_inherit=strict`,
    {
      method: isVersion ? 'POST' : 'PUT',
      headers: { authorization: `Bearer ${token}` },
      body: form,
    },
  );
  const { result, errors } = (await response.json()) as {
    readonly result: { readonly id: string; readonly deployment_id: string } | null;
    readonly errors: readonly { readonly code: number; readonly message: string }[];
  };
  return { result, error: errors[0] };
}

/** Two versions of a Worker at an address of its own, of which the first runs alone. */
async function twoVersions() {
  const { started, call } = await start();
  await upload(started, 'counter', codeOfVersion('old'));
  await call('POST', '/workers/scripts/counter/subdomain', { enabled: true });
  const { result } = await upload(started, 'counter/versions', codeOfVersion('new'));
  const old = started.state.scripts.get('counter')?.versions[0]?.id ?? '';
  const next = result?.id ?? '';
  const split = (percentage: number) =>
    call('POST', '/workers/scripts/counter/deployments', {
      strategy: 'percentage',
      versions: [
        { version_id: next, percentage },
        { version_id: old, percentage: 100 - percentage },
      ],
      annotations: {},
      code_update_strategy: { mode: 'deferred', max_delay: 300 },
    });
  const ask = async (headers: Record<string, string> = {}) => {
    const host = 'counter.kefel-trial.workers.dev';
    const response = await started.fetch(host, '/', { headers });
    return (await response.json()) as Record<'worker' | 'object' | 'id' | 'url', string> & {
      readonly count: number;
    };
  };
  return { started, call, old, next, split, ask };
}

describe('the contract', () => {
  test('was recorded from the installed wrangler', () => {
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
      const { started, call } = await start();
      await expect(call(method, path, body)).rejects.toThrow(reason);
      expect(started.state.databases).toEqual([]);
      await expect(started.stop()).rejects.toThrow(reason);
      cloudflare = null;
    },
  );

  test('refuses a binding of a type that wrangler has not uploaded', async () => {
    const { started } = await start();
    const bindings = [{ type: 'kv_namespace', name: 'KV', namespace_id: '1' }];
    const { error } = await upload(started, 'a', codeOfVersion('a'), { bindings });
    expect(error?.message).toMatch(/metadata\.bindings\[0\]\.type is not one of/);
    await expect(started.stop()).rejects.toThrow();
    cloudflare = null;
  });
});

describe('the account', () => {
  test('answers 10000 where the token lacks a permission, and 1000 for a wrong token', async () => {
    const { started, account, call } = await start({ permissions: ['Workers Scripts'] });
    expect(await codeOf(call('GET', '/d1/database'))).toBe(10000);
    expect(await codeOf(call('GET', '/queues'))).toBe(10000);
    await call('GET', '/workers/scripts');
    const stranger = new Client('other', started.url);
    expect(await codeOf(stranger.get(`${account}/workers/scripts`))).toBe(1000);
  });

  test('says what is taken, missing or used up as Cloudflare does', async () => {
    const { call } = await start({ account: { databasesMax: 1, hasR2: false, subdomain: null } });
    await call('POST', '/d1/database', { name: 'a' });
    expect(await codeOf(call('POST', '/d1/database', { name: 'a' }))).toBe(7502);
    expect(await codeOf(call('POST', '/d1/database', { name: 'b' }))).toBe(7406);
    expect(await codeOf(call('GET', '/d1/database/b'))).toBe(7404);
    expect(await codeOf(call('POST', '/r2/buckets', { name: 'a' }))).toBe(10042);
    expect(await codeOf(call('GET', '/workers/subdomain'))).toBe(10007);
    expect(await codeOf(call('GET', '/workers/services/a'))).toBe(10007);
    await call('POST', '/queues', { queue_name: 'a' });
    expect(await codeOf(call('POST', '/queues', { queue_name: 'a' }))).toBe(11009);
  });

  test('runs the statements of one query in a transaction of a real database', async () => {
    const { started, call } = await start();
    const { uuid } = await call('POST', '/d1/database', { name: 'a' });
    const query = (sql: string) => call('POST', `/d1/database/${uuid}/query`, { sql });
    await query("CREATE TABLE a (b TEXT UNIQUE); INSERT INTO a VALUES ('one;');");
    const failing = query("INSERT INTO a VALUES ('two'); INSERT INTO a VALUES ('one;');");
    expect(await codeOf(failing)).toBe(7500);
    expect(await query('SELECT b FROM a')).toMatchObject([{ results: [{ b: 'one;' }] }]);
    expect(started.changes()).toEqual(['POST /accounts/{account}/d1/database']);
  });

  test('keeps a bucket that is not empty', async () => {
    const { started, client, account, call } = await start();
    await call('POST', '/r2/buckets', { name: 'backups' });
    await (await started.runtime.bucket('backups')).put('runs/1', 'x');
    expect(await codeOf(call('DELETE', '/r2/buckets/backups'))).toBe(10008);
    expect(await client.get(`${account}/r2/buckets/backups/objects`)).toMatchObject([
      { key: 'runs/1' },
    ]);
    await call('DELETE', '/r2/buckets/backups/objects/runs%2F1');
    await call('DELETE', '/r2/buckets/backups');
    expect(started.state.buckets).toEqual([]);
  });
});

describe('a fault', () => {
  const create = 'POST /accounts/{account}/d1/database';

  test.each([
    ['reset', 0],
    ['answer lost', 1],
    [500, 0],
    [429, 0],
  ] as const)('%s fails the nth call, which makes %i databases', async (fault, made) => {
    const { started, call } = await start();
    started.failCall(2, fault);
    await call('GET', '/d1/database');
    expect(await codeOf(call('POST', '/d1/database', { name: 'a' }))).toBeNull();
    expect(started.state.databases).toHaveLength(made);
    await call('GET', '/d1/database');
  });

  test('of a named call leaves others alone, as often as it was ordered', async () => {
    const { started, call } = await start();
    started.failCall(create, 500, 2);
    await call('GET', '/d1/database');
    for (const _ of [1, 2]) {
      expect(await codeOf(call('POST', '/d1/database', { name: 'a' }))).toBeNull();
    }
    await call('POST', '/d1/database', { name: 'a' });
  });

  test('of the network lasts until it is repaired', async () => {
    const { started, call } = await start();
    started.failCall(1, 'reset', Number.POSITIVE_INFINITY);
    expect(await codeOf(call('GET', '/d1/database'))).toBeNull();
    expect(await codeOf(call('GET', '/queues'))).toBeNull();
    started.recover();
    await call('GET', '/queues');
  });
});

describe('a deployment', () => {
  test('splits the requests by percentages, and an override chooses', async () => {
    const { started, old, next, split, ask } = await twoVersions();
    expect(await ask()).toMatchObject({
      worker: 'old',
      id: old,
      url: 'https://counter.kefel-trial.workers.dev/',
    });
    const override = { 'Cloudflare-Workers-Version-Overrides': `counter="${next}"` };
    expect(await ask(override), 'ignored outside of the deployment').toMatchObject({ id: old });
    await split(0);
    expect(await ask(override)).toMatchObject({ worker: 'new', id: next });
    expect(await ask()).toMatchObject({ worker: 'old' });
    await split(10);
    started.runtime.invocations.length = 0;
    for (let count = 0; count < 100; count += 1) {
      await ask();
    }
    const ofNext = started.runtime.invocations.filter(({ version }) => version === next);
    expect(ofNext).toHaveLength(10);
  });

  test('shares its objects: they run in the version with the largest share, or the chosen one', async () => {
    const { started, old, next, split, ask } = await twoVersions();
    const by = (id: string) => ask({ 'Cloudflare-Workers-Version-Overrides': `counter="${id}"` });
    expect(await ask()).toMatchObject({ worker: 'old', object: 'old', count: 1 });
    await split(10);
    expect(await by(next)).toMatchObject({ worker: 'new', object: 'old', count: 2 });
    started.runtime.hostObjects('counter', next);
    expect(await by(old)).toMatchObject({ worker: 'old', object: 'new', count: 3 });
    started.runtime.hostObjects('counter', null);
    await split(100);
    expect(await ask()).toMatchObject({ worker: 'new', object: 'new', count: 4 });
  });

  test('counts what threw, by version', async () => {
    const { started, old, ask } = await twoVersions();
    await ask();
    const response = await started.fetch('counter.kefel-trial.workers.dev', '/throw');
    expect(response.status).toBe(500);
    const query = `query Query($account: string, $script: string, $since: Time) {
      viewer { accounts(filter: { accountTag: $account }) {
        workersInvocationsAdaptive(limit: 100, filter: { scriptName: $script, datetime_geq: $since }) {
          dimensions { scriptName scriptVersion status } sum { requests errors } } } } }`;
    const variables = {
      account: started.accountId,
      script: 'counter',
      since: '2026-01-01T00:00:00Z',
    };
    const answer = await fetch(`${started.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${started.token}` },
      body: JSON.stringify({ query, variables }),
    });
    const dimensions = { scriptName: 'counter', scriptVersion: old };
    expect(await answer.json()).toMatchObject({
      data: {
        viewer: {
          accounts: [
            {
              workersInvocationsAdaptive: [
                {
                  dimensions: { ...dimensions, status: 'success' },
                  sum: { requests: 1, errors: 0 },
                },
                {
                  dimensions: { ...dimensions, status: 'scriptThrewException' },
                  sum: { requests: 1, errors: 1 },
                },
              ],
            },
          ],
        },
      },
    });
  });

  test('changes classes only as a whole, and never in a version', async () => {
    const { started, old, call } = await twoVersions();
    const more = { ...EXPORTS, Other: { type: 'durable-object', storage: 'sqlite' } };
    const bindings = [
      ...BINDINGS,
      { type: 'durable_object_namespace', name: 'O', class_name: 'Other' },
    ];
    const bound = await upload(started, 'counter/versions', codeOfVersion('x'), {
      exports: more,
      bindings,
    });
    expect(bound.error?.code).toBe(100406);
    const unbound = await upload(started, 'counter/versions', codeOfVersion('x'), {
      exports: more,
    });
    const versions = [
      { version_id: unbound.result?.id, percentage: 50 },
      { version_id: old, percentage: 50 },
    ];
    const splitting = call('POST', '/workers/scripts/counter/deployments', {
      strategy: 'percentage',
      versions,
      annotations: {},
      code_update_strategy: { mode: 'deferred', max_delay: 300 },
    });
    expect(await codeOf(splitting)).toBe(100405);
    const without = await upload(started, 'counter', codeOfVersion('x'), {
      exports: {},
      bindings: [],
    });
    expect(without.error?.code).toBe(100402);
    const [current] = started.state.scripts.get('counter')?.deployments ?? [];
    expect(current?.versions).toEqual([{ version_id: old, percentage: 100 }]);
  });

  test('follows a change of a secret, but not while the latest version is not deployed', async () => {
    const { started, call, split } = await twoVersions();
    const secret = { name: 'KEY', text: 'value', type: 'secret_text' };
    const put = () =>
      call('PATCH', '/workers/scripts/counter/secrets-bulk', { secrets: { KEY: secret } });
    expect(await codeOf(put())).toBe(10215);
    await split(100);
    await put();
    expect(await call('GET', '/workers/scripts/counter/secrets')).toEqual([
      { name: 'KEY', type: 'secret_text' },
    ]);
    const [deployment] = started.state.scripts.get('counter')?.deployments ?? [];
    expect(deployment?.annotations).toEqual({ 'workers/triggered_by': 'secret' });
    // The upload of a whole Worker keeps secrets by name, or asks for one that is not there.
    const inherited = await upload(started, 'counter', codeOfVersion('x'), {
      bindings: [...BINDINGS, { type: 'inherit', name: 'OTHER' }],
    });
    expect(inherited.error?.code).toBe(10057);
  });
});

describe('what leads to a Worker', () => {
  const records = (hostname: string, isOverriding = true) => ({
    override_scope: true,
    override_existing_origin: true,
    override_existing_dns_record: isOverriding,
    origins: [{ hostname }],
  });

  async function workers(...names: readonly string[]) {
    const world = await start();
    for (const name of names) {
      await upload(world.started, name, codeOfVersion(name));
    }
    const { state } = world.started;
    const at = (url: string) => new Router(state).scriptFor(new URL(url))?.name ?? null;
    return { ...world, state, at };
  }

  test('is a custom domain, and before it the route that is most specific', async () => {
    const { call, at } = await workers('payments', 'office');
    await call('PUT', '/workers/scripts/payments/domains/records', records('pay.example.com'));
    const pattern = (path: string) => ({
      pattern: `pay.example.com${path}`,
      zone_name: 'example.com',
    });
    await call('PUT', '/workers/scripts/office/routes', ['/', '/docs*'].map(pattern));
    const paths = ['/', '/docs/a', '/api', '/?a=b'];
    expect(paths.map((path) => at(`https://pay.example.com${path}`))).toEqual([
      'office',
      'office',
      'payments',
      'office',
    ]);
    expect(at('https://payments.kefel-trial.workers.dev/'), 'it is off').toBeNull();
    expect(at('https://other.example.com/')).toBeNull();
  });

  test('is not an address of another account, nor one whose record must stay', async () => {
    const { call, state, at } = await workers('payments');
    const path = '/workers/scripts/payments/domains/records';
    state.foreignHostnames.add('pay.example.com');
    state.dnsRecords.add('shop.example.com');
    for (const hostname of ['pay.example.com', 'pay.example.org']) {
      expect(await codeOf(call('PUT', path, records(hostname)))).toBe(100116);
    }
    const changeset = '/workers/scripts/payments/domains/changeset?replace_state=true';
    expect(await call('POST', changeset, [{ hostname: 'shop.example.com' }])).toMatchObject({
      conflicting: [{ hostname: 'shop.example.com' }],
    });
    expect(await codeOf(call('PUT', path, records('shop.example.com', false)))).toBe(100117);
    await call('PUT', path, records('shop.example.com'));
    expect(at('https://shop.example.com/')).toBe('payments');
  });

  test('keeps a Worker from being deleted: a queue that it consumes, and a binding to it', async () => {
    const { started, call, state } = await workers('payments');
    const bindings = [
      { type: 'service', name: 'PAYMENTS', service: 'payments', entrypoint: 'Payments' },
    ];
    await upload(started, 'office', codeOfVersion('office'), { bindings, exports: {} });
    const { queue_id } = await call('POST', '/queues', { queue_name: 'events' });
    const { consumer_id } = await call('POST', `/queues/${queue_id}/consumers`, {
      type: 'worker',
      script_name: 'payments',
      settings: { batch_size: 5, max_retries: 3, max_wait_time_ms: 0 },
    });
    expect(await codeOf(call('DELETE', `/queues/${queue_id}`))).toBe(11005);
    expect(await codeOf(call('DELETE', '/workers/scripts/payments?force=true'))).toBe(10064);
    await call('DELETE', `/queues/${queue_id}/consumers/${consumer_id}`);
    await call('DELETE', `/queues/${queue_id}`);
    expect(await codeOf(call('DELETE', '/workers/scripts/payments'))).toBe(10064);
    await call('DELETE', '/workers/scripts/office?force=true');
    await call('DELETE', '/workers/scripts/payments');
    expect([state.scripts.size, state.queues.length]).toEqual([0, 0]);
  });
});

describe('the gateway', () => {
  test('leads a script to a deployed Worker as its proxy, and nowhere else', async () => {
    const { started } = await twoVersions();
    const script = `
      const answer = await fetch('https://counter.kefel-trial.workers.dev/', {
        method: 'POST',
        body: new Blob(['a', 'b']).stream(),
        duplex: 'half',
      });
      console.log(JSON.stringify(await answer.json()));
      await fetch('https://elsewhere.example.org/').catch((error) => console.log('refused'));`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', script],
      {
        env: { ...process.env, ...started.environment },
      },
    );
    const [answered, refused] = stdout.trim().split('\n');
    expect(JSON.parse(answered ?? '')).toMatchObject({ worker: 'old', sent: 'ab', count: 1 });
    expect(refused).toBe('refused');
  });
});
