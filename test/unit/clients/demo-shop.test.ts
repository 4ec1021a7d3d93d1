import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newOrderId } from '../../../demo/orders.ts';
import { type Shop, startShop } from '../../../demo/shop.ts';

/** Goal: the demo shop, which merchants copy, never invites a customer to pay twice. */

let gateway: Server;
let shop: Shop;
let refusal: { readonly status: number; readonly code?: string; readonly content?: unknown };
const idempotencyKeys: unknown[] = [];

beforeAll(async () => {
  gateway = createServer((request, response) => {
    idempotencyKeys.push(request.headers['idempotency-key']);
    // At once, so that the client does not wait between its tries.
    response.writeHead(refusal.status, { 'retry-after': '0' });
    response.end(JSON.stringify({ ...refusal, message: 'Refused' }));
  });
  await new Promise<void>((resolve) => gateway.listen(0, 'localhost', resolve));
  const { port } = gateway.address() as AddressInfo;
  shop = await startShop({
    apiKey: 'kfl_test_shop',
    webhookSecret: `whsec_${btoa('0123456789abcdef0123456789abcdef')}`,
    merchantId: 'demo',
    gatewayUrl: `http://localhost:${port}`,
    port: 0,
  });
});

afterAll(() => {
  shop.close();
  gateway.close();
});

function sendForm(order: string, pay = 'phone'): Promise<Response> {
  const body = new URLSearchParams({ order, quantity: '1', pay, phone: '0712345678' });
  return fetch(`${shop.url}/orders`, { method: 'POST', body, redirect: 'manual' });
}

test.each([
  [503, 'service_unavailable'],
  [500, 'internal_error'],
  [502, 'unknown'],
  [429, 'too_many_requests'],
  [409, 'idempotency_key_in_use'],
])('waits for the phone that may be charged, after %i %s', async (status, code) => {
  refusal = { status, code };
  const order = newOrderId();
  const response = await sendForm(order);
  expect(response.status).toBe(303);
  expect(response.headers.get('location')).toBe(`/orders/${order}`);
});

test('offers another try for a charge that was refused', async () => {
  refusal = { status: 400, code: 'validation_failed' };
  const order = newOrderId();
  const response = await sendForm(order);
  expect(response.status).toBe(400);
  const page = await response.text();
  expect(page).toContain('Refused');
  expect(page).not.toContain(order);
});

test.each(['javascript:alert(1)', 'order-1', '//evil.example', 'data:text/html,x', ''])(
  'does not redirect the customer to "%s"',
  async (content) => {
    refusal = { status: 200, content };
    const error = vi.spyOn(console, 'error').mockReturnValue();
    const response = await sendForm(newOrderId(), 'page');
    expect([response.status, response.headers.get('location')]).toEqual([500, null]);
    expect(error).toHaveBeenCalledOnce();
    error.mockRestore();
  },
);

test('repeats a form with the idempotency key that it stored with the order', async () => {
  const order = newOrderId();
  idempotencyKeys.length = 0;
  refusal = { status: 400, code: 'validation_failed' };
  await sendForm(order, 'page');
  const content = 'https://pay.example.com/checkout/x';
  refusal = { status: 200, content };
  expect((await sendForm(order, 'page')).headers.get('location')).toBe(content);
  const [first] = idempotencyKeys;
  expect(first).toMatch(/^[0-9a-f-]{36}$/);
  expect(order).not.toContain(first);
  expect(idempotencyKeys).toEqual([first, first]);
});
