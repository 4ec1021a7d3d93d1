import { describe, expect, test } from 'vitest';
import {
  ALPHA,
  addEndpoint,
  advance,
  answerOf,
  CALLBACK_URL,
  call,
  clientOf,
  consumeAll,
  fireAlarm,
  HOUR_MS,
  MINUTE_MS,
  payHosted,
  postExpress,
  postHosted,
  postRefund,
  useDeliveries,
} from '../support.ts';

/**
 * Goal: events of refunds go to the merchant's endpoints, and to a payment's callbackUrl only if the
 * payment asked for them (docs/decisions.md#19). Method: refunds by the API; the merchant's servers
 * record what arrives.
 */

const { caught, arrivals, statuses } = useDeliveries();

const ALL = 'https://all.example.com/hook';
const REFUNDS = 'https://refunds.example.com/hook';
const PAYMENTS = 'https://payments.example.com/hook';
/** A refund of this amount fails in the sandbox. */
const DECLINED_MINOR = 10_022;
/** One of this amount waits a minute for a person there. */
const LEFT_TO_PERSON_MINOR = 10_025;

async function addEndpoints(): Promise<void> {
  await addEndpoint(ALPHA, 'we_all', { url: ALL });
  await addEndpoint(ALPHA, 'we_refunds', { url: REFUNDS, eventTypes: ['REFUND_SUCCESS'] });
  await addEndpoint(ALPHA, 'we_payments', { url: PAYMENTS, eventTypes: ['PAYMENT_SUCCESS'] });
}

/** The first delivery of an event to endpoints sends the messages of the others. */
async function deliverAll(): Promise<void> {
  do {
    await consumeAll(caught);
  } while (caught.webhooks.length > 0);
}

/** A paid payment, refunded, and both events delivered. */
async function refunded(changes: object, refund: { amountMinor?: number } = {}): Promise<void> {
  await payHosted({ amount: 150.5, refundEvents: undefined, ...changes });
  await deliverAll();
  expect(await answerOf(postRefund(refund))).toMatchObject({ status: 200 });
  await fireAlarm();
  await deliverAll();
}

/** Which event arrived where, with the envelope's status. */
const arrived = () =>
  arrivals.map(({ url, event }) => `${event.webHookEvent} ${event.status} ${url}`).sort();

/** What the API says of the events of a type. */
async function deliveriesOf(type: string): Promise<unknown[]> {
  const events = '/api/v1/payment/sandbox/events';
  const list = await answerOf(call(`${events}?type=${type}`));
  const [{ id }] = (list.envelope.content as { data: [{ id: string }] }).data;
  const event = await answerOf(call(`${events}/${id}`));
  return (event.envelope.content as { deliveries: unknown[] }).deliveries;
}

describe('the events of a refund of a payment', () => {
  test.each([
    ['with a callbackUrl that did not ask for them', { callbackUrl: CALLBACK_URL }],
    ['with refundEvents of null', { callbackUrl: CALLBACK_URL, refundEvents: null }],
  ])('%s go to the endpoints that take them', async (_name, changes) => {
    await addEndpoints();
    await refunded(changes);
    expect(arrived()).toEqual([
      `PAYMENT_SUCCESS SUCCESS ${CALLBACK_URL}`,
      `REFUND_SUCCESS REFUNDED ${ALL}`,
      `REFUND_SUCCESS REFUNDED ${REFUNDS}`,
    ]);
    expect(await deliveriesOf('REFUND_SUCCESS')).toMatchObject([
      { endpointId: 'we_all', url: ALL, state: 'delivered' },
      { endpointId: 'we_refunds', url: REFUNDS, state: 'delivered' },
    ]);
  });

  test('that asked for them go to its callbackUrl only', async () => {
    await addEndpoints();
    await refunded({ refundEvents: true }, { amountMinor: DECLINED_MINOR });
    expect(arrived()).toEqual([
      `PAYMENT_SUCCESS SUCCESS ${CALLBACK_URL}`,
      `REFUND_FAILED REFUND_FAILED ${CALLBACK_URL}`,
    ]);
    expect(await deliveriesOf('REFUND_FAILED')).toMatchObject([
      { endpointId: null, url: CALLBACK_URL, state: 'delivered' },
    ]);
  });

  test('without a callbackUrl go to the endpoints, with or without refundEvents', async () => {
    await addEndpoints();
    await refunded({ callbackUrl: null, refundEvents: true });
    expect(arrived()).toEqual([
      `PAYMENT_SUCCESS SUCCESS ${ALL}`,
      `PAYMENT_SUCCESS SUCCESS ${PAYMENTS}`,
      `REFUND_SUCCESS REFUNDED ${ALL}`,
      `REFUND_SUCCESS REFUNDED ${REFUNDS}`,
    ]);
  });

  test('are skipped, not lost, when the merchant has a callbackUrl and no endpoint at all', async () => {
    await refunded({});
    expect(await deliveriesOf('REFUND_SUCCESS')).toMatchObject([
      { endpointId: null, url: null, state: 'skipped', tries: 0 },
    ]);
    expect(arrived()).toEqual([`PAYMENT_SUCCESS SUCCESS ${CALLBACK_URL}`]);
  });

  test('wait for the merchant when each endpoint is disabled', async () => {
    await addEndpoint(ALPHA, 'we_off', { url: ALL, isEnabled: false });
    await refunded({});
    expect(await deliveriesOf('REFUND_SUCCESS')).toMatchObject([{ state: 'undeliverable' }]);
  });

  test('replace only those of the same refund that have not arrived', async () => {
    await addEndpoints();
    statuses.set(ALL, 500);
    await refunded({ callbackUrl: null }, { amountMinor: LEFT_TO_PERSON_MINOR });
    expect(arrived()).toContain(`REFUND_REQUIRES_ACTION REFUND_REQUIRES_ACTION ${ALL}`);
    expect(await deliveriesOf('REFUND_REQUIRES_ACTION')).toMatchObject([{ state: 'waiting' }]);
    statuses.clear();
    advance(MINUTE_MS);
    await fireAlarm();
    await deliverAll();
    expect(await deliveriesOf('REFUND_REQUIRES_ACTION')).toMatchObject([{ state: 'superseded' }]);
    expect(await deliveriesOf('REFUND_SUCCESS')).toMatchObject([
      { endpointId: 'we_all', state: 'delivered' },
      { endpointId: 'we_refunds', state: 'delivered' },
    ]);
    expect(await deliveriesOf('PAYMENT_SUCCESS')).not.toMatchObject([{ state: 'superseded' }]);
  });

  test('do not supersede the event of the payment, which waits for its callbackUrl', async () => {
    await addEndpoints();
    statuses.set(CALLBACK_URL, 500);
    await refunded({});
    statuses.clear();
    const events = await clientOf().events();
    expect(events.map(({ type, deliveryStatus }) => [type, deliveryStatus])).toEqual([
      ['payment_succeeded', 'waiting'],
      ['refund_succeeded', 'delivered'],
      ['refund_succeeded', 'delivered'],
    ]);
    advance(HOUR_MS);
    await fireAlarm();
    await deliverAll();
    expect(await deliveriesOf('PAYMENT_SUCCESS')).toMatchObject([{ state: 'delivered' }]);
  });
});

test.each([
  ['hosted', postHosted],
  ['express', postExpress],
] as const)('%s refuses refundEvents that is no boolean', async (_kind, post) => {
  expect(await answerOf(post({ refundEvents: 'yes' }))).toMatchObject({
    status: 400,
    envelope: { validationErrorCodes: { refundEvents: 'invalid_type' } },
  });
});
