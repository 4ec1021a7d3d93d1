import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { HttpClient } from '../../scripts/gateway/http.ts';
import type { StandInOrder } from '../../scripts/stand-ins/stand-in.ts';
import type { StandIns } from '../../scripts/stand-ins/start-all.ts';
import { METHODS, type Method } from '../../src/engine/domain/method.ts';
import type { Caller } from '../chaos/caller.ts';
import type { MerchantServer } from '../chaos/merchant-server.ts';
import type { PaymentRecord } from '../chaos/observations.ts';
import { operate } from '../harness/operator.ts';
import type { ShownPayment, ShownRefund } from '../harness/shown.ts';
import { until } from '../harness/until.ts';
import { wireAmount } from '../harness/wire-amount.ts';

/**
 * What others hold when a gateway is lost: customers the links of their payments and receipts,
 * providers the addresses of payments and refunds under way. All of it must work after the restore,
 * in which the payments' objects have a new namespace.
 */

const AMOUNT = 210;
/** As the page of an unfinished payment of `populate` shows it. */
const UNFINISHED_AMOUNT_TEXT = '150.00';
const REFUND_ID = 'late-refund';
const REFUNDED = 'late-refunded';
/** No other payment of the drill has it. */
const REFUNDED_AMOUNT = 211;
const LONG_EXPIRY_SECONDS = 6 * 3_600;
/** As many ids as one call takes. */
const IDS_MAX = 200;

/** Payments that are at their providers when the gateway is lost. */
export interface LateOrders {
  /** The unique ids of the payments, all in production. */
  readonly uniqueIds: readonly string[];
  readonly orders: ReadonlyMap<string, StandInOrder>;
  readonly refundedOrder: StandInOrder;
}

/** By each method a payment whose customer has not acted yet, and a refund that is not over. */
export async function leaveAtProviders(
  caller: Caller,
  { byMethod }: StandIns,
  callbackUrl: string,
): Promise<LateOrders> {
  const orderOf = (method: Method, uniqueId: string, amount: number) =>
    orderAtProvider(caller, byMethod, { method, uniqueId, amount, callbackUrl });
  const orders = new Map<string, StandInOrder>();
  for (const method of METHODS) {
    const uniqueId = `late-${method}`;
    orders.set(uniqueId, await orderOf(method, uniqueId, AMOUNT));
  }
  const amountText = wireAmount(byMethod.M_PESA, REFUNDED_AMOUNT * 100);
  byMethod.M_PESA.plan(amountText, { refund: { isSlow: true, report: 'never' } });
  const refundedOrder = await orderOf('M_PESA', REFUNDED, REFUNDED_AMOUNT);
  await refundedOrder.act('pays');
  const refund = { paymentIntentUniqueId: REFUNDED, refundUniqueId: REFUND_ID };
  await caller.content(caller.api('production').postJson('refund', refund));
  await until('refund at the provider', async () => refundedOrder.refunds?.length === 1);
  return { uniqueIds: [...orders.keys(), REFUNDED], orders, refundedOrder };
}

/** A payment whose customer has not acted yet. */
export async function orderAtProvider(
  caller: Caller,
  byMethod: StandIns['byMethod'],
  about: {
    readonly method: Method;
    readonly uniqueId: string;
    readonly amount: number;
    readonly callbackUrl: string;
  },
): Promise<StandInOrder> {
  const { method, uniqueId, amount, callbackUrl } = about;
  const body = {
    ...{ paymentIntentUniqueId: uniqueId, amount, currency: 'ETB', callbackUrl, method },
    ...{ commissionPaidByCustomer: false, expireIn: LONG_EXPIRY_SECONDS },
    returnUrl: 'https://shop.example/thanks',
    phoneNumber: method === 'M_PESA' ? '0711223344' : '0911223344',
  };
  const { transactionId, paymentUrl } = await caller.content<{
    readonly transactionId: string;
    readonly paymentUrl: string | null;
  }>(caller.api('production').postJson('express/pay', body));
  if (method === 'CBE' && paymentUrl !== null) {
    // The customer's browser takes the order to the bank's page.
    await fetch(paymentUrl);
  }
  return byMethod[method].order(transactionId);
}

/** Each provider reports what has happened since the loss, and the merchant sees it. */
export async function reportLate(caller: Caller, late: LateOrders): Promise<readonly string[]> {
  const api = caller.api('production');
  const wrong: string[] = [];
  for (const [uniqueId, order] of late.orders) {
    await order.act('pays', { silent: true });
    const { status, text } = await order.callback();
    const payment = await caller.content<ShownPayment>(api.get(`intent/${uniqueId}`));
    if (status !== 200 || payment.status !== 'SUCCESS') {
      wrong.push(`the report of ${uniqueId} got ${status} ${text}: it is ${payment.status}`);
    }
  }
  const [refund] = late.refundedOrder.refunds ?? [];
  refund?.end?.();
  const answer = await refund?.report?.();
  const shown = await caller.content<ShownRefund>(api.get(`refund/${REFUND_ID}`));
  if (answer?.status !== 200 || shown.status !== 'SUCCESS') {
    wrong.push(`the report of ${REFUND_ID} got ${answer?.status}: it is ${shown.status}`);
  }
  return wrong;
}

/** The events of these reports arrive, and so does one of before the loss that is sent again. */
export async function announceLate(
  caller: Caller,
  merchantServer: MerchantServer,
  { uniqueIds }: LateOrders,
): Promise<void> {
  await until('webhooks of late reports', async () =>
    uniqueIds.every((uniqueId) => merchantServer.eventsByPayment().has(uniqueId)),
  );
  const [event] = merchantServer.eventsByPayment().get(REFUNDED) ?? [];
  const tries = event?.tries ?? 0;
  await caller.expect(caller.api('production').post(`events/${event?.webhookId}/resend`), 200);
  await until('an event that was sent again', async () => (event?.tries ?? 0) > tries);
}

/** The links that customers have: of hosted payments, and of the receipts that their pages show. */
export async function linksOf(
  client: HttpClient,
  records: readonly PaymentRecord[],
): Promise<readonly string[]> {
  const hosted = records.filter(({ plan, isStuck }) => plan.kind === 'hosted' && !isStuck);
  const urls = hosted.flatMap(({ createAnswer }) =>
    createAnswer === null ? [] : [JSON.parse(createAnswer).content as string],
  );
  const receipts = await Promise.all(
    urls.map(async (url) => {
      const { body } = await client.send({ method: 'GET', url });
      return [...body.matchAll(/href="([^"]*\/receipt\/[^"?#]*)"/g)].map(([, path = '']) =>
        new URL(path, url).toString(),
      );
    }),
  );
  const found = new Set(receipts.flat());
  if (found.size === 0) {
    throw new Error('no page of a paid payment links its receipt');
  }
  return [...urls, ...found];
}

/** The links of unfinished payments that do not show the payment's amount. */
export async function unopened(
  client: HttpClient,
  links: readonly string[],
): Promise<readonly string[]> {
  const pages = await Promise.all(links.map((url) => client.send({ method: 'GET', url })));
  return pages.flatMap(({ status, body }, index) =>
    status === 200 && body.includes(UNFINISHED_AMOUNT_TEXT)
      ? []
      : [`the link ${links[index]} of an unfinished payment got ${status}`],
  );
}

/** What each link shows, to be compared like a list. */
export async function observeLinks(
  client: HttpClient,
  urls: readonly string[],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const shown = urls.map(async (url) => {
    const { status, body } = await client.send({ method: 'GET', url });
    const [main = body] = /<main.*<\/main>/s.exec(body) ?? [];
    const text = main.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    return [`link ${url}`, [`${status} ${text}`]] as const;
  });
  return Object.fromEntries(await Promise.all(shown));
}

/** Cloudflare's ids of the payments' objects, as the runtime keeps them. */
export async function objectIdsIn(stateDirectory: string): Promise<readonly string[]> {
  const files = await readdir(join(stateDirectory, 'v3', 'do'), { recursive: true });
  const ids = files.map((file) => /PaymentIntent\/([\da-f]{64})\.sqlite$/.exec(file)?.[1]);
  return ids.filter((id) => id !== undefined).slice(0, IDS_MAX);
}

/** How many of these ids the gateway's namespace refuses. */
export async function refusedIds(baseUrl: string, objectIds: readonly string[]): Promise<number> {
  const { failed } = await operate<{ failed: number }>(baseUrl, 'books/rebuild', { objectIds });
  return failed;
}
