import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Random } from '../../lab/harness/random.ts';
import { eventually, type JsonObject, type OwnScene, startScene } from '../support/e2e-scene.ts';
import type { Payment } from '../support/e2e-webhook.ts';

/**
 * SIGKILL to a gateway while many customers pay at links with a maximum: docs/promises.md#12. The seed
 * decides what each customer does.
 */

const BUYERS = 200;
const KILLS = 10;
const MAX = 10;
/** They reserve more places than the merchant then leaves. */
const EARLY_BUYERS = 12;
const random = new Random(1, 'buyers');

/** Customers who leave hold their places for so long. */
const EXPIRE_IN_SECONDS = 40;

let scene: OwnScene;
let kills = 0;

beforeAll(async () => {
  scene = await startScene({
    name: 'link-places',
    variables: ['RATE_LIMITS:off', `EXPIRE_IN_SECONDS_MAX:${EXPIRE_IN_SECONDS}`],
  });
}, 300_000);

afterAll(() => scene.close());

interface LinkContent {
  readonly url: string;
  readonly paymentsMax: number;
  readonly paymentsCount: number;
}

type Outcome = 'approve' | 'decline' | 'give_up' | 'leave';

/** Until the gateway answers: it may be dead. */
async function persistently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch {
      await wait(300);
    }
  }
}

function send(url: string, form: Readonly<Record<string, string>> | null = null) {
  return persistently(async () => {
    const posted = form && { method: 'POST', body: new URLSearchParams(form) };
    const response = await fetch(url, { redirect: 'manual', ...posted });
    if (response.status >= 500) {
      throw new Error(`${url}: ${response.status}`);
    }
    const location = response.headers.get('location');
    const html = await response.text();
    return { status: response.status, html, location: location && new URL(location, url).href };
  });
}

function links<Content>(method: string, path: string, body?: JsonObject) {
  return persistently(async () => {
    const request = body === undefined ? {} : { body };
    const answer = await scene.sandbox.call<Content>(method, `sandbox/${path}`, request);
    if (answer.status !== 200) {
      throw new Error(answer.raw);
    }
    return answer.body.content;
  });
}

/** The simulator's page of a payment that a customer begins; null when the link is full. */
async function begin(url: string): Promise<string | null> {
  const { status, html } = await send(url);
  if (status === 410) {
    return null;
  }
  const form = /name="form" value="([^"]+)"/.exec(html)?.[1] ?? '';
  const checkoutUrl = (await send(url, { form })).location ?? '';
  const chosen = await send(`${checkoutUrl}/attempts`, { method: 'TELE_BIRR', attempts: '0' });
  return chosen.location?.includes('/simulator/') ? chosen.location : null;
}

async function decide(simulatorUrl: string, outcome: Outcome): Promise<void> {
  if (outcome !== 'leave') {
    await send(simulatorUrl.replace('/simulator/', '/rails/simulator/'), { outcome });
  }
}

/** Buys in one of the waves between two kills. */
async function buy(url: string, buyer: number): Promise<void> {
  const outcome = random.pick(['approve', 'decline', 'decline', 'give_up', 'leave'] as const);
  const thinksMs = random.between(0, 1_500);
  while (kills < Math.floor((buyer * KILLS) / BUYERS)) {
    await wait(200);
  }
  await wait(thinksMs);
  const simulatorUrl = await begin(url);
  if (simulatorUrl !== null) {
    await wait(thinksMs);
    await decide(simulatorUrl, outcome);
  }
}

async function killRepeatedly(): Promise<void> {
  for (; kills < KILLS; kills += 1) {
    await wait(random.between(500, 3_000));
    await scene.gateway.kill();
    await scene.gateway.restart();
  }
}

/** What is paid at the link: how many payments have a place, and how many say that they have none. */
async function paidAt(link: string) {
  const query = `paymentLinkUniqueId=${link}&status=SUCCESS&limit=100`;
  const counts = { committed: 0, surplus: 0 };
  const { data } = await links<{ data: readonly Payment[] }>('GET', `intents?${query}`);
  for (const { uniqueId } of data) {
    const { anomalies } = await links<Payment>('GET', `intent/${uniqueId}`);
    const isSurplus = anomalies.some(({ type }) => type === 'surplus_payment');
    counts[isSurplus ? 'surplus' : 'committed'] += 1;
  }
  return counts;
}

test('takes no payment too many from 200 buyers through ten kills, and loses no place', async () => {
  const link = (id: string, paymentsMax: number) => ({
    ...{
      paymentLinkUniqueId: id,
      title: 'Honey',
      amount: 450,
      methods: ['TELE_BIRR'],
      paymentsMax,
    },
  });
  const { url } = await links<LinkContent>('POST', 'links', link('few', MAX));
  const lowered = await links<LinkContent>('POST', 'links', link('lowered', EARLY_BUYERS));
  const early = await Promise.all(Array.from({ length: EARLY_BUYERS }, () => begin(lowered.url)));
  expect(early).not.toContain(null);
  await links('PATCH', 'links/lowered', { paymentsMax: MAX });

  await Promise.all([
    killRepeatedly(),
    ...early.map((simulatorUrl) => decide(simulatorUrl ?? '', 'approve')),
    ...Array.from({ length: BUYERS }, (_, buyer) => buy(url, buyer)),
  ]);
  expect(kills).toBe(KILLS);

  await eventually(
    () => paidAt('lowered'),
    (paid) => paid.committed === MAX && paid.surplus === EARLY_BUYERS - MAX,
  );
  expect(await links('GET', 'links/lowered')).toMatchObject({ paymentsCount: MAX });

  // Every place that was reserved and not paid comes back: so many more customers can pay.
  const counted = async () => (await links<LinkContent>('GET', 'links/few')).paymentsCount;
  expect(await counted()).toBeLessThanOrEqual(MAX);
  while ((await counted()) < MAX) {
    const simulatorUrl = await begin(url);
    await (simulatorUrl === null ? wait(500) : decide(simulatorUrl, 'approve'));
  }
  await eventually(
    () => paidAt('few'),
    (paid) => paid.committed === MAX && paid.surplus === 0,
  );
  expect(await begin(url)).toBeNull();
  expect(await links('GET', 'links/few')).toMatchObject({ paymentsCount: MAX });
}, 900_000);
