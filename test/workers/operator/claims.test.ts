import { expect, test, vi } from 'vitest';
import * as books from '../../../src/lists/book/all-books.ts';
import {
  ALPHA,
  advance,
  call,
  clientOf,
  createHosted,
  execute,
  fireAlarm,
  HOUR_MS,
  intentOf,
  lastEvent,
  MINUTE_MS,
  pathOf,
  postForm,
  resolveAttempt,
  startRedirect,
  useGateway,
} from '../support.ts';
import { deskOf, operateApi, project } from './support.ts';

/**
 * Goal: a customer who has paid, and whose payment has no outcome, types the number of the provider's
 * message; the operator sees it beside the attempt, with who else has it, and records by it
 * (docs/decisions.md#65). Method: the pages and forms of customer and operator, as browsers send them.
 */

const caught = useGateway();

const { pageOf, change } = deskOf('Abebe');
const PAYMENT = `/operator/payments/sandbox/${ALPHA.id}/order-1`;
const RECEIPT = 'DI26D9N4AW';

/** The path of the checkout of a payment whose attempt `a1`, by telebirr, has no outcome. */
async function unresolvedCheckout(): Promise<string> {
  const checkout = pathOf(await createHosted());
  await execute(startRedirect('a1', Date.now() + 5 * MINUTE_MS));
  advance(6 * MINUTE_MS);
  await fireAlarm();
  return checkout;
}

function fetchPage(path: string): Promise<Response> {
  return call(path, { apiKey: null });
}

async function customerPage(path: string): Promise<string> {
  return (await fetchPage(path)).text();
}

/** Where a number that the customer types leads. */
async function typed(checkout: string, receipt: string, attempt = 'a1'): Promise<string | null> {
  const response = await postForm(`${checkout}/claim`, { attempt, receipt });
  await response.body?.cancel();
  return response.headers.get('location');
}

test('the page of an unresolved attempt takes the number, shows it, and keeps asking the provider', async () => {
  const checkout = await unresolvedCheckout();
  expect(await customerPage(checkout)).toContain(`href="${checkout}/claim"`);
  const form = await customerPage(`${checkout}/claim`);
  expect(form).toContain('the message that telebirr sent you');
  expect(form).toContain('name="receipt"');
  expect(form).not.toContain('http-equiv="refresh"');

  expect(await typed(checkout, 'my money')).toBe(`${checkout}/claim?wrong=1`);
  expect(await customerPage(`${checkout}/claim?wrong=1`)).toContain('aria-invalid="true"');
  expect((await intentOf()).attempts[0]?.claimedReceipts).toBeUndefined();

  const before = await intentOf();
  expect(await typed(checkout, ` ${RECEIPT} `)).toBe(checkout);
  expect(await customerPage(checkout)).toContain(
    `You sent us the transaction number <bdi>${RECEIPT}`,
  );
  const { status, attempts } = await intentOf();
  expect(status).toBe(before.status);
  expect(attempts).toEqual([{ ...before.attempts[0], claimedReceipts: [RECEIPT] }]);
});

test('the pages of an unresolved attempt of an expired payment take it, too', async () => {
  const checkout = await unresolvedCheckout();
  advance(2 * HOUR_MS);
  await fireAlarm();
  expect((await intentOf()).status).toBe('expired');
  expect(await customerPage(checkout)).toContain(`href="${checkout}/claim"`);
  expect(await typed(checkout, RECEIPT)).toBe(checkout);
  expect((await intentOf()).attempts[0]?.claimedReceipts).toEqual([RECEIPT]);
});

test('a payment that is open or paid has nothing to claim', async () => {
  const checkout = pathOf(await createHosted());
  for (const before of [[], [startRedirect('a1')], [resolveAttempt('a1', 'succeeded')]]) {
    await execute(...before);
    const page = await fetchPage(`${checkout}/claim`);
    expect([page.status, page.headers.get('location')]).toEqual([303, checkout]);
  }
  const { version } = await intentOf();
  expect(await typed(checkout, RECEIPT)).toBe(checkout);
  expect((await intentOf()).version).toBe(version);
});

test('a form that is not ours is refused, and changes nothing', async () => {
  const checkout = await unresolvedCheckout();
  const { version } = await intentOf();
  const other = await postForm(`${checkout}/claim`, { receipt: RECEIPT });
  expect(other.status).toBe(400);
  expect(await typed(checkout, RECEIPT, 'another')).toBe(checkout);
  expect((await intentOf()).version).toBe(version);
});

test('the desk shows who else has the number, and records the payment by it', async () => {
  // Another customer's receipt, and a claim by ten other payments.
  await createHosted({ paymentIntentUniqueId: 'paid' });
  const PAID = clientOf('paid');
  await PAID.execute([
    startRedirect('p1'),
    { type: 'resolve_attempt', attemptId: 'p1', outcome: { type: 'succeeded', receipt: RECEIPT } },
  ]);
  for (let index = 0; index < 10; index++) {
    const id = `claims-${index}`;
    await createHosted({ paymentIntentUniqueId: id });
    await clientOf(id).execute([
      startRedirect(`c${index}`),
      { type: 'abandon_attempt', attemptId: `c${index}` },
      { type: 'claim_receipt', attemptId: `c${index}`, receipt: RECEIPT.toLowerCase() },
      { type: 'abandon_payment' },
    ]);
  }
  const checkout = await unresolvedCheckout();
  await typed(checkout, RECEIPT);
  await project(caught);

  const html = await pageOf(PAYMENT);
  expect(html).toContain(`<code>${RECEIPT}</code>`);
  expect(html).toContain('<strong>It is the receipt of</strong>');
  expect(html).toContain(`href="/operator/payments/sandbox/${ALPHA.id}/paid"`);
  expect(html).toContain('Also claimed for');
  expect(html).toContain(`/claims-`);
  expect(html).toContain(`href="https://transactioninfo.ethiotelecom.et/receipt/${RECEIPT}"`);
  const { envelope } = await operateApi(`/payments/sandbox/${ALPHA.id}/order-1`);
  expect(envelope.content).toMatchObject({
    attempts: [{ claimedReceipts: [RECEIPT] }],
    claims: [{ attemptId: 'a1', receipt: RECEIPT }],
  });

  // The rule of receipts stays: the desk records no payment by another one's receipt.
  const record = `${PAYMENT}/attempts/REFA1/paid`;
  expect(await pageOf(`${record}?claim=0`)).toContain(`value="${RECEIPT}"`);
  expect(await change(record, { receipt: RECEIPT, note: 'In the portal.' })).toContain(
    'refused=receipt_used',
  );
  expect((await intentOf()).status).not.toBe('succeeded');
});

test('the desk fills in the claim, by which the operator records the payment', async () => {
  const checkout = await unresolvedCheckout();
  await typed(checkout, RECEIPT);
  await project(caught);
  expect(await pageOf(PAYMENT)).toContain('No other payment has this number.');
  const record = `${PAYMENT}/attempts/REFA1/paid`;
  const [, value = ''] =
    /name="receipt"[^>]*value="([^"]*)"/.exec(await pageOf(`${record}?claim=0`)) ?? [];
  await change(record, { receipt: value, note: 'In the portal.' });
  expect(await intentOf()).toMatchObject({ status: 'succeeded', attempts: [{ receipt: RECEIPT }] });
  expect((await lastEvent()).type).toBe('payment_succeeded');
  expect(await pageOf(PAYMENT)).not.toContain('says that they paid');
  expect(await customerPage(checkout)).not.toContain('/claim"');
});

test('while a book does not answer, the desk says that others may have the number', async () => {
  const checkout = await unresolvedCheckout();
  await typed(checkout, RECEIPT);
  vi.spyOn(books, 'askBooks').mockRejectedValue(new Error('no answer'));
  expect(await pageOf(PAYMENT)).toContain('another payment may have this number');
});

test('support finds a payment by what its customer claims', async () => {
  const checkout = await unresolvedCheckout();
  await typed(checkout, RECEIPT);
  advance(2 * HOUR_MS);
  await fireAlarm();
  await project(caught);
  const found = await change('/operator/payments', { search: RECEIPT });
  expect(await pageOf(found)).toContain('order-1');
});
