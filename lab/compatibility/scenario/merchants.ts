import { equal, match, ok } from 'node:assert/strict';
import { checkoutPage, chooseMethod, decide } from '../../harness/customer.ts';
import type { ShownPayment, ShownRefund } from '../../harness/shown.ts';
import {
  contentOf,
  eventually,
  hiddenFields,
  includes,
  type Play,
  postForm,
  send,
  shows,
} from './play.ts';

/** What a merchant's server does by the API, and its customers on the pages. */

export interface Merchant {
  readonly play: Play;
  readonly sandboxKey: string;
  readonly productionKey: string;
}

/** Calls the API of an environment. */
export async function callApi<Content>(
  { play, sandboxKey, productionKey }: Merchant,
  method: string,
  path: string,
  {
    body,
    isProduction = false,
    headers = {},
    status = 200,
  }: {
    readonly body?: object;
    readonly isProduction?: boolean;
    readonly headers?: Readonly<Record<string, string>>;
    readonly status?: number;
  } = {},
): Promise<Content> {
  const whole = `/api/v1/payment/${isProduction ? '' : 'sandbox/'}${path}`;
  const answer = await send(play, whole, {
    method,
    headers: {
      apiKey: isProduction ? productionKey : sandboxKey,
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return contentOf(`${method} ${whole}`, answer, status);
}

const CUSTOMER = { name: 'Sara Tesfaye', email: 'sara@example.com', phone: '911223344' };

export function hostedBody(merchant: Merchant, uniqueId: string, changes: object = {}): object {
  return {
    amount: 1_000,
    currency: 'ETB',
    paymentIntentUniqueId: uniqueId,
    methods: [],
    returnUrl: 'https://shop.example.com/done',
    callbackUrl: callbackUrlOf(merchant),
    refundEvents: true,
    expireIn: 3_600,
    commissionPaidByCustomer: false,
    customerInfo: CUSTOMER,
    description: 'Two bags of coffee',
    metadata: { table: '7' },
    ...changes,
  };
}

function callbackUrlOf({ play }: Merchant): string {
  return `${play.hooks.origin}/${play.merchantId}`;
}

export function read(merchant: Merchant, uniqueId: string, isProduction = false) {
  return callApi<ShownPayment>(merchant, 'GET', `intents/${uniqueId}`, { isProduction });
}

/** The id of a payment's object, as its checkout link has it. */
export interface Opened {
  readonly uniqueId: string;
  readonly checkoutUrl: string;
}

export async function createHosted(
  merchant: Merchant,
  uniqueId: string,
  changes: object = {},
  isProduction = false,
): Promise<Opened> {
  const body = hostedBody(merchant, uniqueId, changes);
  const checkoutUrl = await callApi<string>(merchant, 'POST', 'intent', { body, isProduction });
  return { uniqueId, checkoutUrl };
}

/** The customer chooses a method on the checkout page. Returns where that leads. */
export async function choose({ play }: Merchant, { checkoutUrl }: Opened, method: string) {
  const page = checkoutPage((await send(play, checkoutUrl)).text);
  const { url, body } = chooseMethod(checkoutUrl, {
    method,
    phone: '911223344',
    attempts: page.attempts ?? 0,
  });
  const fields = Object.fromEntries(new URLSearchParams(body));
  const { headers } = await postForm(play, url, fields);
  return new URL(headers.get('location') ?? '', checkoutUrl).href;
}

/** A hosted payment of 1,000 birr that the customer pays by the simulator. */
export async function payHosted(
  merchant: Merchant,
  uniqueId: string,
  changes: object = {},
): Promise<Opened> {
  const opened = await createHosted(merchant, uniqueId, changes);
  const simulatorUrl = await choose(merchant, opened, 'TELE_BIRR');
  const { url, body } = decide(simulatorUrl, 'approve');
  await postForm(merchant.play, url, Object.fromEntries(new URLSearchParams(body)));
  await eventually('the payment is paid', () => read(merchant, uniqueId), {
    uniqueId,
    status: 'SUCCESS',
    totalAmount: 100_000,
    commission: 2_500,
    transaction: { paymentType: 'TELE_BIRR', transactionStatus: 'SUCCESS' },
  });
  return opened;
}

/** A hosted payment that the merchant cancels before its customer chose a method. */
export async function cancelHosted(
  merchant: Merchant,
  uniqueId: string,
  changes: object = {},
): Promise<void> {
  await createHosted(merchant, uniqueId, changes);
  includes(await callApi(merchant, 'POST', `intents/${uniqueId}/cancel`), { status: 'CANCELED' });
  await eventually(
    'the list has the canceled payment',
    async () => {
      const path = 'intents?status=CANCELED&limit=50';
      const { data } = await callApi<Listed<ShownPayment>>(merchant, 'GET', path);
      return { isThere: data.some((payment) => payment.uniqueId === uniqueId) };
    },
    { isThere: true },
  );
}

/** Its event arrives with the payment's values. */
export async function getsWebhook(merchant: Merchant, uniqueId: string, event: string) {
  const path = `/${merchant.play.merchantId}`;
  const found = () =>
    merchant.play.hooks.received.find(
      (hook) =>
        hook.path === path && hook.event.uniqueId === uniqueId && hook.event.event === event,
    );
  return eventually(`the webhook ${event} of ${uniqueId}`, async () => found(), {
    envelope: { webHookEvent: event, paymentIntentUniqueId: uniqueId },
    event: { uniqueId, event },
  });
}

/** Creating, paying, reading, listing and canceling. */
export async function makePayments(merchant: Merchant, prefix: string): Promise<void> {
  await payHosted(merchant, `${prefix}-paid`);
  includes(await getsWebhook(merchant, `${prefix}-paid`, 'PAYMENT_SUCCESS'), {
    event: { status: 'SUCCESS', totalAmount: 100_000, commission: 2_500, currency: 'ETB' },
  });

  const express = {
    ...hostedBody(merchant, `${prefix}-express`, { amount: 25.5 }),
    methods: undefined,
    customerInfo: undefined,
    method: 'M_PESA',
    phoneNumber: '0711223344',
    testMode: { testModeType: 'SIMULATED_TEST', simulationStatus: 'SUCCESS' },
    refundEvents: true,
  };
  const keyed = { body: express, headers: { 'idempotency-key': `${prefix}-key` } };
  const first = await callApi<{ readonly transactionId: string }>(
    merchant,
    'POST',
    'express/pay',
    keyed,
  );
  // The same request again is answered with the first answer.
  includes(await callApi(merchant, 'POST', 'express/pay', keyed), first);
  await callApi(merchant, 'POST', 'express/pay', { body: express, status: 409 });
  await getsWebhook(merchant, `${prefix}-express`, 'PAYMENT_SUCCESS');

  await createHosted(merchant, `${prefix}-open`);
  await cancelHosted(merchant, `${prefix}-canceled`);
  // The simulator declines this amount.
  await createHosted(merchant, `${prefix}-declined`, { amount: 100.01 }).then((opened) =>
    choose(merchant, opened, 'TELE_BIRR'),
  );
  await eventually('the attempt is declined', () => read(merchant, `${prefix}-declined`), {
    transaction: { failureReason: 'declined' },
  });
  await callApi(merchant, 'GET', `intents/${prefix}-unknown`, { status: 404 });
  // A taken id comes before a wrong body.
  const wrong = hostedBody(merchant, `${prefix}-paid`, { amount: 'much' });
  await callApi(merchant, 'POST', 'intent', { body: wrong, status: 409 });
  // The book knows which payment has a uuid.
  const { uuid } = await read(merchant, `${prefix}-paid`);
  await eventually('the payment is found by its uuid', () => findBy(merchant, uuid), {
    uniqueId: `${prefix}-paid`,
  });
}

/** Null while the book does not know the id. */
async function findBy({ play, sandboxKey }: Merchant, id: string): Promise<ShownPayment | null> {
  const headers = { apiKey: sandboxKey };
  const { text } = await send(play, `/api/v1/payment/sandbox/intents/${id}`, { headers });
  return JSON.parse(text).content ?? null;
}

interface Listed<Item> {
  readonly data: readonly Item[];
}

/** The book's lists show what the payments' objects have. */
export async function listPayments(merchant: Merchant, prefix: string): Promise<void> {
  await eventually('the list has all payments', async () => {
    const path = 'intents?limit=50&status=SUCCESS';
    const { data } = await callApi<Listed<ShownPayment>>(merchant, 'GET', path);
    return data
      .map(({ uniqueId }) => uniqueId)
      .filter((id) => id.startsWith(`${prefix}-`))
      .sort();
  }, [`${prefix}-express`, `${prefix}-paid`]);
  // Finds payments by digests of what the book has only sealed, and by the time of their end.
  const since = new Date(Date.now() - 3_600_000).toISOString();
  for (const filter of ['metadata[table]=7', 'customerPhone=0911223344', `endedFrom=${since}`]) {
    const { data } = await callApi<Listed<ShownPayment>>(
      merchant,
      'GET',
      `intents?${encodeURI(filter)}`,
    );
    includes(
      data.find(({ uniqueId }) => uniqueId === `${prefix}-paid`),
      { status: 'SUCCESS', totalAmount: 100_000, metadata: { table: '7' } },
    );
  }
}

/** Refunding, a rejected refund, and reading and listing them. */
export async function refundPayments(merchant: Merchant, prefix: string): Promise<void> {
  const paymentIntentUniqueId = `${prefix}-paid`;
  const refundUniqueId = `${prefix}-refund`;
  const body = { paymentIntentUniqueId, refundUniqueId, amountMinor: 1_025, reason: 'Torn' };
  includes(await callApi(merchant, 'POST', 'refunds', { body }), {
    refundUniqueId,
    amountMinor: 1_025,
  });
  await eventually(
    'the refund ends',
    () => callApi<ShownRefund>(merchant, 'GET', `refunds/${refundUniqueId}`),
    { refundUniqueId, status: 'SUCCESS', amountMinor: 1_025 },
  );
  includes(await getsWebhook(merchant, paymentIntentUniqueId, 'REFUND_SUCCESS'), {
    event: { refundedAmount: 1_025, refund: { refundUniqueId, amountMinor: 1_025 } },
  });
  // The register refuses a second payment the same refund's id.
  const taken = { ...body, paymentIntentUniqueId: `${prefix}-express` };
  await callApi(merchant, 'POST', 'refunds', { body: taken, status: 409 });
  // A refund that waits for the provider can be canceled.
  const pending = { ...body, refundUniqueId: `${prefix}-pending`, amountMinor: 100_26 };
  await callApi(merchant, 'POST', 'refunds', { body: pending });
  includes(await callApi(merchant, 'POST', `refunds/${prefix}-pending/cancel`), {
    status: 'CANCELED',
  });
  // The object rejects what is more than was paid, after the register's claim.
  const excess = { ...body, refundUniqueId: `${prefix}-excess`, amountMinor: 100_000 };
  await callApi(merchant, 'POST', 'refunds', { body: excess, status: 409 });
  await eventually(
    'the list has the refund',
    () =>
      callApi<Listed<ShownRefund>>(
        merchant,
        'GET',
        `refunds?paymentIntentUniqueId=${paymentIntentUniqueId}&status=SUCCESS`,
      ),
    { data: { 0: { refundUniqueId, amountMinor: 1_025 } } },
  );
}

interface ListedEvent {
  readonly id: string;
}

/** Listing, reading and sending events again, and the sandbox's stream of them. */
export async function handleEvents(merchant: Merchant, prefix: string): Promise<void> {
  const { play } = merchant;
  const path = `events?paymentIntentUniqueId=${prefix}-paid`;
  const { data } = await eventually(
    'the event is listed as delivered',
    () => callApi<Listed<ListedEvent>>(merchant, 'GET', `${path}&type=PAYMENT_SUCCESS`),
    { data: { 0: { type: 'PAYMENT_SUCCESS', deliveries: { 0: { state: 'delivered' } } } } },
  );
  const eventId = data[0]?.id ?? '';
  includes(await callApi(merchant, 'GET', `events/${eventId}`), { id: eventId });
  const before = play.hooks.received.length;
  await callApi(merchant, 'POST', `events/${eventId}/resend`);
  await eventually(
    'the event arrives again',
    async () => ({ isThere: play.hooks.received.length > before }),
    { isThere: true },
  );
  await callApi(merchant, 'POST', `events/resend`, {
    body: { since: new Date(Date.now() - 3_600_000).toISOString() },
  });
  await openStream(merchant, {});
  const events = await openStream(merchant, { 'last-event-id': eventId });
  match(events, /REFUND_SUCCESS/);
}

/** The first bytes of the stream. */
async function openStream(
  { play, sandboxKey }: Merchant,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const url = `${play.system.origin}/api/v1/payment/sandbox/events/stream`;
  const aborting = new AbortController();
  const { signal } = aborting;
  const answer = await fetch(url, { headers: { apiKey: sandboxKey, ...headers }, signal });
  equal(answer.status, 200);
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (reader !== undefined && 'last-event-id' in headers && !text.includes('REFUND_SUCCESS')) {
    const { value, done } = await reader.read();
    ok(!done, `the stream ended after ${text}`);
    text += value;
  }
  aborting.abort();
  await reader?.cancel().catch(() => undefined);
  return text;
}

interface ShownEndpoint {
  readonly id: string;
}

/** Endpoints by the API, and an event that goes to them. */
export async function manageEndpoints(merchant: Merchant, prefix: string): Promise<void> {
  const { play } = merchant;
  const url = `${play.hooks.origin}/${play.merchantId}/endpoint`;
  const created = await callApi<ShownEndpoint>(merchant, 'POST', 'webhook-endpoints', {
    body: { url, description: 'By the API' },
  });
  const path = `webhook-endpoints/${created.id}`;
  includes(await callApi(merchant, 'PATCH', path, { body: { description: 'Changed' } }), { url });
  includes(await callApi(merchant, 'GET', path), { description: 'Changed' });
  await callApi(merchant, 'GET', 'webhook-endpoints');
  await callApi(merchant, 'POST', `${path}/secret`, { body: {} });
  await payHosted(merchant, `${prefix}-endpoint`, { callbackUrl: undefined });
  await eventually(
    'the event arrives at the endpoint',
    async () => play.hooks.eventsAt(`/${play.merchantId}/endpoint`, `${prefix}-endpoint`),
    ['PAYMENT_SUCCESS'],
  );
  await callApi(merchant, 'DELETE', path);
  await callApi(merchant, 'GET', 'banks');
  await callApi(merchant, 'GET', 'webhook-keys');
}

interface ShownLink {
  readonly url: string;
}

/** A payment link with one place by the API, and a customer who begins to pay and gives the place back. */
export async function sellByLink(merchant: Merchant, prefix: string): Promise<void> {
  const { play } = merchant;
  const id = `${prefix}-link`;
  const body = { paymentLinkUniqueId: id, title: 'Honey, 1 kg', amount: 450, paymentsMax: 1 };
  const keyed = { body, headers: { 'idempotency-key': id } };
  const { url } = await callApi<ShownLink>(merchant, 'POST', 'links', keyed);
  includes(await callApi(merchant, 'POST', 'links', keyed), { url });
  includes(await callApi(merchant, 'PATCH', `links/${id}`, { body: { amount: 500 } }), { url });
  includes(await callApi(merchant, 'GET', `links/${id}`), { amount: 500 });
  includes(await callApi(merchant, 'GET', 'links'), { data: [{ url }] });
  const page = await send(play, url);
  const form = hiddenFields(shows(url, page, ['Honey, 1 kg', '500.00']));
  const { headers } = await postForm(play, url, form);
  const checkoutUrl = headers.get('location') ?? '';
  shows(checkoutUrl, await send(play, checkoutUrl), ['500.00']);
  const opened = { uniqueId: '', checkoutUrl };
  const refusal = decide(await choose(merchant, opened, 'TELE_BIRR'), 'decline');
  const pageStatus = async () => ({ status: (await send(play, url)).status });
  includes(await pageStatus(), { status: 410 });
  await postForm(play, refusal.url, Object.fromEntries(new URLSearchParams(refusal.body)));
  await eventually('the place is free again', pageStatus, { status: 200 });
  includes(await callApi(merchant, 'POST', `links/${id}/deactivate`), { isActive: false });
}

/** What an older run left behind is read and refunded by this run's versions. */
export async function readOlder(merchant: Merchant, prefix: string): Promise<void> {
  const uniqueId = `${prefix}-endpoint`;
  includes(await read(merchant, uniqueId), { uniqueId, status: 'SUCCESS', totalAmount: 100_000 });
  const { data } = await callApi<Listed<ShownPayment>>(
    merchant,
    'GET',
    'intents?status=SUCCESS&limit=50',
  );
  const listed = data.find((payment) => payment.uniqueId === uniqueId);
  includes(listed, { status: 'SUCCESS', totalAmount: 100_000 });
  const refundUniqueId = `${uniqueId}-later-${merchant.play.merchantId}-${Date.now()}`;
  const body = { paymentIntentUniqueId: uniqueId, refundUniqueId, amountMinor: 700 };
  await callApi(merchant, 'POST', 'refunds', { body });
  await eventually(
    'the refund of an older payment ends',
    () => callApi<ShownRefund>(merchant, 'GET', `refunds/${refundUniqueId}`),
    { status: 'SUCCESS', amountMinor: 700 },
  );
}
