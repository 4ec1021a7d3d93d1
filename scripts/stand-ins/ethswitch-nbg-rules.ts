import { minorFromMajor } from '../../src/kit/money.ts';
import { parsed } from './shapes.ts';
import type { ReceivedCall } from './stand-in.ts';

/** What NBG's stand-in requires of calls. */

export const BILLER_BIN = 'KEFLETAA';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What NBG's sandbox requires of `order.create`; we do not send the optional `pnr`. */
const ORDER_MEMBERS = [
  'amount',
  'currency',
  'merchant_order_number',
  'idempotency_key',
  'description',
  'success_url',
  'cancel_url',
  'callback_url',
  'line_items',
];
const LINE_ITEM_MEMBERS = ['item_name', 'quantity', 'unit_price', 'total_usage_amount'];

/** What is wrong with a call of `order.create`, or null. */
export function problemOf({ headers, body }: ReceivedCall): string | null {
  const order = isJson(headers) ? recordIn(body) : null;
  if (order === null || !hasExactly(order, ORDER_MEMBERS)) {
    return 'Malformed order';
  }
  const { amount, currency, merchant_order_number: number, line_items: items } = order;
  const texts = [
    order.description,
    ...['success', 'cancel', 'callback'].map((n) => order[`${n}_url`]),
  ];
  const checks: readonly (readonly [boolean, string])[] = [
    [UUID.test(headers['x-correlation-id'] ?? ''), 'X-Correlation-ID must be a UUID'],
    [headers['x-biller-bin'] === BILLER_BIN, 'Unknown X-Biller-BIN'],
    [headers['idempotency-key'] === order.idempotency_key, 'Idempotency keys differ'],
    [typeof number === 'string' && /^[A-Z0-9]{20}$/.test(number), 'merchant_order_number'],
    [isAmount(amount) && /^\{"amount":\d+\.\d\d,/.test(body), 'amount must be a number'],
    [currency === 'ETB', 'currency must be ETB'],
    [texts.every(isShortText), 'texts must be short and plain'],
    [texts.slice(1).every((url) => URL.canParse(String(url))), 'URLs must be absolute'],
    [new Set(texts.slice(1)).size === 3, 'success, cancel and callback URLs must differ'],
    [Array.isArray(items) && addUp(items, Number(amount)), 'line_items must add up'],
  ];
  return checks.find(([isRight]) => !isRight)?.[1] ?? null;
}

/** Each line must be its price times its quantity, and their sum the amount. */
function addUp(items: readonly unknown[], amount: number): boolean {
  let totalMinor = 0;
  for (const item of items) {
    const line = record(item);
    if (line === null || !hasExactly(line, LINE_ITEM_MEMBERS) || !isShortText(line.item_name)) {
      return false;
    }
    const { quantity, unit_price: price, total_usage_amount: total } = line;
    if (!isAmount(price) || !isAmount(total) || !Number.isInteger(quantity)) {
      return false;
    }
    if (minor(price) * Number(quantity) !== minor(total)) {
      return false;
    }
    totalMinor += minor(total);
  }
  return totalMinor === minor(amount);
}

function minor(amount: unknown): number {
  return minorFromMajor(Number(amount)) ?? Number.NaN;
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && minorFromMajor(value) !== null;
}

/** No control characters, no emoji. */
function isShortText(value: unknown): boolean {
  return typeof value === 'string' && /^[^\p{C}\p{Extended_Pictographic}]{1,255}$/u.test(value);
}

export function isJson(headers: ReceivedCall['headers']): boolean {
  return headers['content-type'] === 'application/json' && headers.accept === 'application/json';
}

export function recordIn(text: string): Readonly<Record<string, unknown>> | null {
  return record(parsed(text));
}

function record(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null;
}

export function hasExactly(members: object, names: readonly string[]): boolean {
  return Object.keys(members).sort().join() === [...names].sort().join();
}
