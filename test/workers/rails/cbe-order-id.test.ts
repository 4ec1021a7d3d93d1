import { env } from 'cloudflare:workers';
import { beforeEach, expect, test, vi } from 'vitest';
import { configOf } from '../../../src/engine/config.ts';
import type { IntentClient } from '../../../src/engine/intent/client.ts';
import type { CreateRequest } from '../../../src/engine/intent/protocol.ts';
import { sealOf } from '../../../src/engine/rails/cbe-birr/seal.ts';
import { linkId } from '../../../src/kit/crypto/link-token.ts';
import {
  ALPHA,
  advance,
  CREATE_PATHS,
  expressBody,
  MINUTE_MS,
  SECOND_MS,
  useGateway,
} from '../support.ts';
import { cbe, cbeAnswer, cbeReport, send } from './scenes.ts';
import {
  attemptNow,
  client,
  configureRails,
  envWith,
  everythingStored,
  fireAlarmOf,
  intentNow,
  objectsAway,
  openHosted,
  PHONE,
  payExpress,
  type RailCall,
  railServer,
  startAndDie,
} from './support.ts';

/**
 * Goal: an attempt is one order at CBE, also after the keys that make order ids have changed, and
 * for every reader (docs/decisions.md#32): two orders could both be paid. Method: pages shown and
 * reports accepted by Workers whose keys differ from those of the Worker that started the attempt.
 */

configureRails({ RAIL_CBE_PRODUCTION: cbe('production') });
useGateway();

/** CBE's answer to a status query; a test changes it. */
let stateAtCbe = 'SUCCESS';
let calls: RailCall[] = [];

beforeEach(() => {
  stateAtCbe = 'SUCCESS';
  calls = railServer((asked) => cbeAnswer(asked, stateAtCbe));
});

/** The order id that a key ring makes of the first attempt. */
const orderId = ({ objectName }: IntentClient, keys = configOf(env).linkSigningKeys) =>
  linkId(keys, { objectName, index: 0 });

async function pending(): Promise<string> {
  await payExpress({ method: 'CBE' });
  return orderId(client());
}

const OLD = () => env.LINK_SIGNING_KEYS;
const NEW = `t2:${btoa('the next key, which has 32 bytes')}`;
const NEWER = `t3:${btoa('and one more, which has 32 bytes')}`;

async function reportTo(bindings: Env, id: string): Promise<number> {
  return (await send(bindings, '/rails/cbe-birr', { body: await cbeReport(id) })).status;
}

const rotated = () => envWith({ LINK_SIGNING_KEYS: `${NEW},${OLD()}` });

test.each([
  ['whose start was stored', () => pending()],
  [
    'whose start died before its answer was stored',
    async () => {
      await openHosted({ methods: ['CBE'] });
      expect(await startAndDie('CBE')).toMatchObject({ railReference: null });
      return orderId(client());
    },
  ],
])('decisions.md#32: finds a payment %s by an id of the older key', async (_name, begin) => {
  const id = await begin();
  expect(await reportTo(rotated(), id)).toBe(200);
  expect(await intentNow()).toMatchObject({ status: 'succeeded' });
  expect(JSON.parse(calls[0]?.text ?? '')).toMatchObject({ transactionId: id });
});

test('decisions.md#32: does not accept ids of a removed key', async () => {
  const id = await pending();
  expect(await reportTo(envWith({ LINK_SIGNING_KEYS: NEW }), id)).toBe(401);
  expect(await intentNow()).toMatchObject({ status: 'processing' });
});

/** The order id that is sealed into the address of CBE's page, found anywhere in a text. */
async function orderIdIn(text: string): Promise<string> {
  const sealed = /Default\.aspx\?r=([^"&\s]+)/.exec(text)?.[1] ?? '';
  const { open } = await sealOf(cbe('production').secret);
  return open(JSON.parse(open(decodeURIComponent(sealed)) ?? '{}').T) ?? '';
}

/** How a customer or a merchant gets the address of CBE's page. */
const SHOWN = {
  'the checkout page': async (bindings: Env, path: string) =>
    orderIdIn((await send(bindings, path)).text),
  'the form, sent once more': async (bindings: Env, path: string) => {
    const body = new URLSearchParams({ method: 'CBE', attempts: '0', phone: '0911223344' });
    const form = { body: `${body}`, contentType: 'application/x-www-form-urlencoded' };
    return orderIdIn((await send(bindings, `${path}/attempts`, form)).location ?? '');
  },
} as const;

const ORDERS = Object.entries(SHOWN).flatMap(([one, first]) =>
  Object.entries(SHOWN).map(([other, second]) => ({ one, first, other, second })),
);

test.each(ORDERS)(
  'decisions.md#32: keeps one order id over changes of keys, shown by $one, then by $other',
  async ({ first, second }) => {
    const path = await openHosted({ methods: ['CBE'] });
    await startAndDie('CBE');
    const id = await first(env, path);
    expect(id).toBe(await orderId(client()));
    // Stored, as if its start had been stored.
    const kept = await attemptNow();
    expect(kept).toMatchObject({ railReference: id });
    expect(await orderIdIn(kept.redirectUrl ?? '')).toBe(id);
    const before = await everythingStored();
    const later = envWith({ LINK_SIGNING_KEYS: `${NEWER},${NEW},${OLD()}` });
    for (const bindings of [env, rotated(), later, env]) {
      expect(await second(bindings, path)).toBe(id);
    }
    expect(await everythingStored()).toEqual(before);
    expect(calls).toEqual([]);
    // The query and the report name that order.
    advance(30 * SECOND_MS);
    stateAtCbe = 'PENDING';
    await fireAlarmOf();
    expect(JSON.parse(calls[0]?.text ?? '')).toMatchObject({ transactionId: id });
    stateAtCbe = 'SUCCESS';
    expect(await reportTo(later, id)).toBe(200);
    expect(await intentNow()).toMatchObject({ status: 'succeeded', anomalies: [] });
  },
);

/** What happens between the next read of a payment and the use of its result. */
function afterNextRead(happens: () => Promise<unknown>): void {
  const reach = env.PAYMENT_INTENT.get.bind(env.PAYMENT_INTENT);
  vi.spyOn(env.PAYMENT_INTENT, 'get').mockImplementationOnce((id) => {
    const stub = reach(id);
    const read = async () => {
      const found = await stub.read();
      await happens();
      return found;
    };
    return { read } as unknown as typeof stub;
  });
}

test('two concurrent first reads with two keys both show the stored order', async () => {
  const path = await openHosted({ methods: ['CBE'] });
  await startAndDie('CBE');
  const look = SHOWN['the checkout page'];
  let other = '';
  afterNextRead(async () => {
    other = await look(rotated(), path);
  });
  const one = await look(env, path);
  const { railReference } = await attemptNow();
  expect({ one, other }).toEqual({ one: railReference, other: railReference });
});

test('does not show the page of an attempt that is paid meanwhile', async () => {
  const path = await openHosted({ methods: ['CBE'] });
  await startAndDie('CBE');
  const id = await orderId(client());
  afterNextRead(() => reportTo(env, id));
  const shown = await send(env, path);
  expect(await intentNow()).toMatchObject({ status: 'succeeded' });
  expect(shown.status).toBe(200);
  expect(shown.text).not.toContain('Default.aspx');
});

test('does not show a page that cannot be stored', async () => {
  const path = await openHosted({ methods: ['CBE'] });
  await startAndDie('CBE');
  const away = objectsAway({ onlyExecute: true });
  const shown = await send(env, path);
  away.comeBack();
  expect(shown.status).toBe(503);
  expect(shown.text).not.toContain('Default.aspx');
});

test('decisions.md#32: an attempt first shown after a change of keys gets the new id, and keeps it', async () => {
  const path = await openHosted({ methods: ['CBE'] });
  await startAndDie('CBE');
  const id = await SHOWN['the checkout page'](rotated(), path);
  expect(id).toBe(await orderId(client(), configOf(rotated()).linkSigningKeys));
  expect(await SHOWN['the checkout page'](env, path)).toBe(id);
  expect(await reportTo(rotated(), id)).toBe(200);
  expect(await intentNow()).toMatchObject({ status: 'succeeded' });
});

test('an express call repeated after a crash names the same order, before and after', async () => {
  const repeated = (bindings: Env) =>
    send(bindings, CREATE_PATHS.express.production, {
      apiKey: ALPHA.apiKeys.production,
      idempotencyKey: 'try-1',
      body: expressBody({ method: 'CBE', phoneNumber: PHONE }),
    });
  // The first one asks whether the id is taken, and dies once the payment exists.
  const reach = env.PAYMENT_INTENT.get.bind(env.PAYMENT_INTENT);
  const objects = vi.spyOn(env.PAYMENT_INTENT, 'get').mockImplementationOnce((id) => reach(id));
  objects.mockImplementationOnce((id) => {
    const stub = reach(id);
    const create = async (request: CreateRequest) => {
      await stub.create(request);
      throw new Error('died');
    };
    return { create } as unknown as typeof stub;
  });
  expect((await repeated(env)).status).toBe(500);
  expect(await attemptNow()).toMatchObject({ redirectUrl: null, railReference: null });
  advance(MINUTE_MS);
  const id = await orderIdIn((await repeated(env)).text);
  expect(id).toBe(await orderId(client()));
  expect(await attemptNow()).toMatchObject({ railReference: id });
  expect(await orderIdIn((await repeated(rotated())).text)).toBe(id);
  expect(await reportTo(rotated(), id)).toBe(200);
  expect(await intentNow()).toMatchObject({ status: 'succeeded' });
});
