import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StandIns, startStandIns } from '../../scripts/stand-ins.ts';
import { METHODS, METHODS_BY_PROMPT, type Method } from '../../src/domain/method.ts';
import { freePort } from '../support/e2e-gateway.ts';
import {
  eventually,
  hostedBody,
  newId,
  newPhone,
  type Scene,
  startScene,
} from '../support/e2e-scene.ts';
import { type Form, formTo, open, post, submit } from '../support/e2e-visitor.ts';
import { type Payment, verifiedWebhook } from '../support/e2e-webhook.ts';

/** Production payments by each of the six methods, through stand-ins as strict as the rails. */

let scene: Scene;
let standIns: StandIns;

beforeAll(async () => {
  const port = await freePort();
  standIns = await startStandIns(`http://localhost:${port}`);
  scene = await startScene({ port, args: ['--no-stand-ins', ...standIns.wranglerArgs] });
});

afterAll(async () => {
  await scene?.close();
  await standIns?.stop();
});

/** A hosted production payment whose customer has chosen `method`. */
async function chosen(method: Method) {
  const hook = scene.server.endpoint();
  const uniqueId = newId();
  const body = hostedBody({
    paymentIntentUniqueId: uniqueId,
    methods: [method],
    callbackUrl: hook.url,
  });
  const answer = await scene.production.hosted(body);
  expect(answer.body).toMatchObject({ status: 200 });
  const checkoutUrl = answer.body.content;
  const form = formTo(await open(checkoutUrl), '/attempts');
  const page = await submit(form, { phone: phoneFor(method) });
  return { uniqueId, hook, checkoutUrl, page };
}

/** M-PESA is Safaricom's, whose numbers begin with 7. */
function phoneFor(method: Method): string {
  const phone = newPhone();
  return method === 'M_PESA' ? `7${phone.slice(1)}` : phone;
}

/** The customer acts at the rail: on the page they were sent to, or on the phone. */
async function act(method: Method, payment: Awaited<ReturnType<typeof chosen>>, what: string) {
  let { page } = payment;
  if (METHODS_BY_PROMPT.includes(method)) {
    const reference = await eventually(
      async () => (await statusOf(payment.uniqueId)).transaction?.transactionId ?? '',
      (text) => text !== '',
    );
    page = await eventually(
      () => open(`${standIns.byMethod[method].baseUrl}/`),
      ({ html }) => html.includes(reference),
    );
    const form = page.forms.find(({ inputs }) => inputs.some(({ value }) => value === reference));
    return pressed(form, what);
  }
  return pressed(page.forms[0], what);
}

async function pressed(form: Form | undefined, what: string): Promise<void> {
  const button = form?.buttons.find(({ value }) => value === what);
  if (form === undefined || button === undefined) {
    throw new Error(`no button "${what}"`);
  }
  const response = await post(form, {}, button);
  await response.body?.cancel();
}

async function statusOf(uniqueId: string): Promise<Payment> {
  return (await scene.production.status(uniqueId)).body.content;
}

function productionKeys() {
  const { merchant } = scene.gateway;
  return {
    secret: merchant.productionWebhookSecret,
    publicKey: merchant.webhookPublicKeys.production,
  };
}

describe.each(METHODS)('%s in production', (method) => {
  it('pays: hosted', async () => {
    const payment = await chosen(method);
    await act(method, payment, 'pays');
    const event = verifiedWebhook(await payment.hook.request(0), productionKeys());
    expect(event).toMatchObject({
      webHookEvent: 'PAYMENT_SUCCESS',
      payment: { test: false, chargedAmount: 10_000, transaction: { paymentType: method } },
    });
    expect((await open(payment.checkoutUrl)).heading).toBe('Payment successful');
  });
});
