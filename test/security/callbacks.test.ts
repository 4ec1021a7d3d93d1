import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { configOf } from '../../src/engine/config.ts';
import { type LinkPurpose, signLink } from '../../src/kit/crypto/link-token.ts';
import {
  cbeReport,
  decideAtRails,
  nbgReport,
  playRails,
  SCENE_SECRETS,
  SCENES,
  TELEBIRR_USSD,
  telebirrReport,
  ussdReport,
} from '../workers/rails/scenes.ts';
import {
  attemptNow,
  callbackPath,
  clientIn,
  configureRails,
  everythingStored,
  intentNow,
  payExpress,
  report,
} from '../workers/rails/support.ts';
import { call, postForm, useGateway } from '../workers/support.ts';

/**
 * Goal: docs/promises.md#9 for the reports of all providers: one for another payment, for a refund,
 * or altered on its way changes nothing (docs/reliability.md#callbacks). Replays, late and
 * contradicting reports: test/workers/rails/callbacks.test.ts.
 */

configureRails(SCENE_SECRETS);
useGateway();

const KEYS = () => configOf(env).linkSigningKeys;

/** Reports have their token in the path; CBE's only address has none. */
const WITH_TOKEN = SCENES.filter(({ railId }) => railId !== 'cbe-birr');

const OTHER_PURPOSES: readonly LinkPurpose[] = ['checkout', 'refund'];

test.each(WITH_TOKEN)('$railId: tokens of other purposes open no address of it', async (scene) => {
  playRails();
  await scene.begin();
  decideAtRails('paid');
  const { objectName } = scene.payment();
  const link = { objectName, index: 0 };
  const before = await everythingStored();
  const { reference } = await attemptNow(scene.payment());
  const body = { referenceId: reference, status: 'PAID', orderNumber: reference };
  for (const purpose of OTHER_PURPOSES) {
    const token = await signLink(KEYS(), purpose, link);
    const path = `/rails/${scene.railId}/${token}`;
    expect([purpose, (await report(path, body)).status]).toEqual([purpose, 404]);
  }
  for (const purpose of ['checkout', 'attempt', 'refund'] as const) {
    const token = await signLink(KEYS(), purpose, link);
    // The refund's own token is genuine, but the payment has no refund.
    const path = `/rails/${scene.railId}/refunds/${token}`;
    expect([purpose, (await report(path, body)).status]).toEqual([purpose, 404]);
  }
  expect(await everythingStored()).toEqual(before);
});

test.each(WITH_TOKEN)(
  '$railId: a report at the address of another payment proves nothing',
  async (scene) => {
    playRails();
    await scene.begin();
    const environment = scene.railId === 'ethswitch-nbg' ? 'sandbox' : 'production';
    const other = clientIn(environment, 'order-2');
    const { method, phone } = await attemptNow(scene.payment());
    await payExpress(
      {
        method,
        phoneNumber: phone,
        paymentIntentUniqueId: 'order-2',
        testMode: { testModeType: 'ACTUAL_TEST' },
      },
      environment,
    );
    const mine = await attemptNow(scene.payment());
    decideAtRails('paid');
    const path = await callbackPath(scene.railId, other);
    const query = `?orderNumber=${mine.reference}&mdOrder=${mine.railReference}&operation=deposited&status=1`;
    const { status } =
      scene.railId === 'ethswitch-cards'
        ? await call(`${path}${query}`, { apiKey: null })
        : await report(path, (await BODIES[scene.railId]?.(mine)) ?? {}, THROUGH_RELAY);
    expect(status).toBeGreaterThanOrEqual(400);
    expect((await intentNow(other)).status).toBe('processing');
    expect((await intentNow(scene.payment())).status).toBe('processing');
  },
);

type Attempt = Awaited<ReturnType<typeof attemptNow>>;

/** The reports of a payment, with the references of `attempt`. */
const BODIES: Readonly<Record<string, (attempt: Attempt) => object | string | Promise<object>>> = {
  ebirr: ({ reference }) => ({ referenceId: reference, responseCode: '2001', txAmount: '100.50' }),
  'stk-push': ({ reference }) => ({
    Envelope: { Body: { stkCallback: { MerchantRequestID: reference, ResultCode: 0 } } },
  }),
  'ethswitch-nbg': (attempt) => nbgReport(attempt, 'paid'),
  'telebirr-h5': (attempt) => telebirrReport(attempt, 'paid'),
  'telebirr-ussd': (attempt) => ussdReport(attempt, 'paid'),
};

/** However many are refused, so that they cannot fill the payment. */
const REFUSED_ONCE = { kind: 'refused_callback' };

/** Only telebirr USSD's relay adds it. */
const THROUGH_RELAY = { authorization: `Bearer ${TELEBIRR_USSD.resultToken}` };

test('telebirr-h5: a notification with any signed field changed is refused', async () => {
  playRails();
  await payExpress({ method: 'TELE_BIRR', testMode: { testModeType: 'ACTUAL_TEST' } });
  decideAtRails('paid');
  const attempt = await attemptNow();
  const path = await callbackPath('telebirr-h5');
  const genuine = Object.entries(await telebirrReport(attempt, 'paid'));
  for (const [name, value] of genuine.filter(([key]) => key !== 'sign_type')) {
    const altered = Object.fromEntries([...genuine, [name, `${value}1`]]);
    expect([name, (await report(path, altered)).status]).toEqual([name, 403]);
  }
  const extra = Object.fromEntries([...genuine, ['trade_status2', 'Completed']]);
  expect((await report(path, extra)).status).toBe(403);
  expect(await intentNow()).toMatchObject({ status: 'processing', anomalies: [REFUSED_ONCE] });
  expect((await report(path, Object.fromEntries(genuine))).status).toBe(200);
  expect((await intentNow()).status).toBe('succeeded');
});

test.each([
  ['without the relay’s token', {}],
  ['with another token', { authorization: `Bearer ${TELEBIRR_USSD.resultToken}x` }],
])('telebirr-ussd: a result %s is refused', async (_name, headers) => {
  playRails();
  await payExpress({ method: 'TELE_BIRR_USSD', testMode: { testModeType: 'ACTUAL_TEST' } });
  const path = await callbackPath('telebirr-ussd');
  expect((await report(path, ussdReport(await attemptNow(), 'paid'), headers)).status).toBe(401);
  expect(await intentNow()).toMatchObject({ status: 'processing', anomalies: [REFUSED_ONCE] });
});

test('cbe-birr: a sealed report with any character changed is refused', async () => {
  playRails();
  const scene = SCENES.find(({ railId }) => railId === 'cbe-birr');
  await scene?.begin();
  decideAtRails('paid');
  const { railReference } = await attemptNow();
  const { EncVal } = await cbeReport(railReference ?? '');
  const before = await everythingStored();
  for (let index = 0; index < EncVal.length - 2; index += 7) {
    const other = EncVal[index] === 'A' ? 'B' : 'A';
    const altered = EncVal.slice(0, index) + other + EncVal.slice(index + 1);
    const { status } = await report('/rails/cbe-birr', { EncVal: altered });
    expect([index, status]).toEqual([index, 401]);
  }
  expect(await everythingStored()).toEqual(before);
  expect((await report('/rails/cbe-birr', { EncVal })).status).toBe(200);
});

test('the simulator’s outcomes reach no payment in production', async () => {
  playRails();
  await payExpress({ method: 'E_BIRR' });
  const before = await everythingStored();
  const path = await callbackPath('simulator');
  for (const outcome of ['approve', 'decline']) {
    expect((await postForm(path, { outcome })).status).toBe(404);
  }
  expect(await everythingStored()).toEqual(before);
});
