import { afterAll, beforeAll, expect, it } from 'vitest';
import { HANG, OK } from '../support/e2e-merchant-server.ts';
import {
  createHosted,
  eventually,
  expressBody,
  fence,
  newId,
  paymentOf,
  press,
  type Scene,
  startScene,
  webhook,
} from '../support/e2e-scene.ts';
import { formTo, open, submit } from '../support/e2e-visitor.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await startScene();
});

afterAll(() => scene?.close());

const CHARGES = 12;

it('nothing acknowledged and no event is lost by SIGKILL: decisions.md#8, #18', async () => {
  // In the merchant's hands when the power goes.
  const held = scene.server.endpoint(HANG, OK);
  const heldBody = expressBody({ callbackUrl: held.url });
  await scene.sandbox.express(heldBody);
  const cutOff = await held.request(0);

  // A page that the customer has open.
  const hosted = await createHosted(scene);
  const simulator = await submit(formTo(await open(hosted.checkoutUrl), '/attempts'), {
    method: 'TELE_BIRR',
  });

  // Charges in every stage of being answered; the kill comes with the first 200.
  const charges = Array.from({ length: CHARGES }, () => {
    const hook = scene.server.endpoint();
    const body = expressBody({ callbackUrl: hook.url });
    const headers = { 'idempotency-key': newId() };
    return { hook, send: () => scene.sandbox.express(body, headers), body, headers };
  });
  const answers = charges.map(({ send }) => send().catch(() => null));
  expect((await Promise.race(answers))?.status).toBe(200);
  await scene.gateway.kill();
  const acknowledged = await Promise.all(answers);

  await scene.gateway.restart();
  // Asked again with the same key, each is answered as if nothing had happened.
  for (const [index, { send, body, headers }] of charges.entries()) {
    const repeated = await eventually(send, ({ status }) => status === 200);
    const first = acknowledged[index] ?? null;
    if (first !== null) {
      expect([first.status, repeated.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
      expect(repeated.raw).toBe(first.raw);
    }
    const changed = await scene.sandbox.express({ ...body, amount: 1 }, headers);
    expect(changed.status).toBe(422);
  }

  // The next kill: right after a hosted payment's 200.
  const second = await createHosted(scene, { expireIn: 5 });
  await scene.gateway.kill();
  await scene.gateway.restart();
  expect(await paymentOf(scene, second.uniqueId)).toMatchObject({ uniqueId: second.uniqueId });

  // The customer goes on where the page was left.
  expect((await press(simulator, 'approve')).heading).toBe('Payment successful');

  const events = await Promise.all([
    webhook(scene, held, 1),
    webhook(scene, hosted.hook),
    webhook(scene, second.hook),
  ]);
  expect(events.map(({ webHookEvent }) => webHookEvent)).toEqual([
    'PAYMENT_SUCCESS',
    'PAYMENT_SUCCESS',
    'PAYMENT_EXPIRED',
  ]);
  for (const { hook, body } of charges) {
    expect(await webhook(scene, hook)).toMatchObject({
      webHookEvent: 'PAYMENT_SUCCESS',
      paymentIntentUniqueId: body.paymentIntentUniqueId,
    });
  }
  const again = await held.request(1);
  expect(again.rawBody.equals(cutOff.rawBody)).toBe(true);
  expect(again.headers['webhook-id']).toBe(cutOff.headers['webhook-id']);
  expect(again.headers['webhook-timestamp']).not.toBe(cutOff.headers['webhook-timestamp']);

  await fence(scene);
  expect(held.requests).toHaveLength(2);
  for (const hook of [hosted.hook, second.hook, ...charges.map((charge) => charge.hook)]) {
    // At least once, and always the same event.
    expect(new Set(hook.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  }

  // What the read model had not heard reaches it too.
  const { uuid } = await paymentOf(scene, second.uniqueId);
  await eventually(
    () => scene.sandbox.status(uuid),
    ({ status }) => status === 200,
  );
}, 120_000);
