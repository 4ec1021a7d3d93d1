import { describe, expect, test } from 'vitest';
import {
  expressBody,
  fence,
  hostedBody,
  newId,
  onlyWebhook,
  paymentOf,
  press,
  useScene,
} from '../support/e2e-scene.ts';
import { open } from '../support/e2e-visitor.ts';

const scene = await useScene();

const METHODS = ['TELE_BIRR', 'TELE_BIRR_USSD', 'CBE', 'ETS_SWITCH', 'M_PESA', 'E_BIRR'];

describe.concurrent('express SIMULATED_TEST: decisions.md#16, #22', () => {
  const cases = METHODS.flatMap((method) => [
    { method, simulationStatus: 'SUCCESS', answered: 'SUCCESS', event: 'PAYMENT_SUCCESS' },
    { method, simulationStatus: 'FAILED', answered: 'FAILURE', event: 'PAYMENT_FAILED' },
  ]);

  test.each(cases)(
    '$method $simulationStatus answers $answered, then sends $event',
    async (row) => {
      const { method, simulationStatus, answered, event } = row;
      const hook = scene.server.endpoint();
      const uniqueId = newId();
      const answer = await scene.sandbox.express(
        expressBody({
          method,
          paymentIntentUniqueId: uniqueId,
          callbackUrl: hook.url,
          testMode: { testModeType: 'SIMULATED_TEST', simulationStatus },
        }),
      );
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        status: 200,
        message: 'Payment intent saved successfully',
        content: {
          // No page shows a charge that was refused: the merchant's own does.
          paymentUrl: answered === 'FAILURE' ? null : expect.any(String),
          transactionId: expect.stringMatching(/^[A-Z0-9]{20}$/),
          status: answered,
          message: expect.any(String),
          failureReason: answered === 'FAILURE' ? 'declined' : null,
        },
        // Production would refuse cents and this number.
        ...(method === 'M_PESA' && {
          warnings: [expect.stringMatching(/^amount /), expect.stringMatching(/^phoneNumber /)],
        }),
      });

      const { transactionId, paymentUrl } = answer.body.content;
      if (paymentUrl === null) {
        expect(await paymentOf(scene, uniqueId)).toMatchObject({ status: 'FAILED' });
      }

      const received = await onlyWebhook(scene, hook);
      expect(received).toMatchObject({
        webHookEvent: event,
        paymentIntentUniqueId: uniqueId,
        payment: {
          test: true,
          totalAmount: 2_550,
          paymentMethodTypes: [method],
          transaction: { transactionId, paymentType: method, transactionStatus: simulationStatus },
        },
      });
      expect(await paymentOf(scene, uniqueId)).toMatchObject({ status: simulationStatus });
      if (paymentUrl !== null) {
        expect((await open(paymentUrl)).heading).toBe('Payment successful');
      }
    },
  );
});

describe.concurrent('express ACTUAL_TEST in the simulator: decisions.md#22', () => {
  const actual = async () => {
    const hook = scene.server.endpoint();
    const shop = scene.server.endpoint();
    const uniqueId = newId();
    const answer = await scene.sandbox.express(
      expressBody({
        paymentIntentUniqueId: uniqueId,
        callbackUrl: hook.url,
        returnUrl: shop.url,
        testMode: { testModeType: 'ACTUAL_TEST' },
      }),
    );
    expect(answer.body.content.status).toBe('SUCCESS');
    const { transactionId, paymentUrl } = answer.body.content;
    return { hook, shop, uniqueId, transactionId, simulator: await open(paymentUrl ?? '') };
  };

  test.each([
    ['approve', 'PAYMENT_SUCCESS', 'SUCCESS', null],
    ['decline', 'PAYMENT_FAILED', 'FAILED', 'declined'],
    ['give_up', 'PAYMENT_FAILED', 'FAILED', 'abandoned'],
  ] as const)(
    '%s gives %s and returns to the merchant: decisions.md#20',
    async (button, event, status, reason) => {
      const { hook, shop, uniqueId, transactionId, simulator } = await actual();
      expect(simulator.heading).toBe('Payment simulator');
      await fence(scene);
      expect(hook.requests).toEqual([]);
      expect(await paymentOf(scene, uniqueId)).toMatchObject({ status: 'PROCESSING' });

      const landed = await press(simulator, button);
      expect(landed.url.split('?')[0]).toBe(shop.url);
      expect(Object.fromEntries(new URL(landed.url).searchParams)).toEqual({
        paymentIntentUniqueId: uniqueId,
        status,
        transactionId,
      });
      expect(await onlyWebhook(scene, hook)).toMatchObject({
        webHookEvent: event,
        payment: { status, reason, transaction: { transactionId } },
      });
      // An express payment has one attempt, so no button is left.
      expect((await open(simulator.url)).forms).toEqual([]);
    },
  );
});

describe.concurrent('production without rails: decisions.md#23', () => {
  test('refuses every express method with a validation error', async () => {
    for (const method of METHODS) {
      const { status, body } = await scene.production.express(expressBody({ method }));
      expect([status, body.status, Object.keys(body.validationErrors ?? {})]).toEqual([
        400,
        400,
        ['method'],
      ]);
    }
  });

  test('refuses hosted payments with a validation error', async () => {
    const none = await scene.production.hosted(hostedBody());
    expect([none.status, Object.keys(none.body.validationErrors ?? {})]).toEqual([
      400,
      ['methods'],
    ]);
    const named = await scene.production.hosted(hostedBody({ methods: ['CBE'] }));
    expect([named.status, Object.keys(named.body.validationErrors ?? {})]).toEqual([
      400,
      ['methods[0]'],
    ]);
  });
});
