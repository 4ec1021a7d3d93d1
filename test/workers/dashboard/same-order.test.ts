import { expect, test } from 'vitest';
import { requestRefund } from '../../support/intents.ts';
import { applyAll } from '../book/fixture.ts';
import { breakBook } from '../support/book.ts';
import { logged } from '../support/gateway.ts';
import { call, clientOf, intentOf, payHosted, useGateway } from '../support.ts';
import { signedIn, visit } from './support.ts';

/**
 * Goal: the merchant sees that one order may be paid twice, on both payments and in the list, with the
 * way to the refund. Method: payments through the gateway, their messages at the book, and the pages
 * as a browser gets them.
 */

const caught = useGateway();
const LIST = '/dashboard/sandbox/payments';
const PHONE = { phone: '911234567' };

async function pay(paymentIntentUniqueId: string, changes = {}): Promise<void> {
  await payHosted({ paymentIntentUniqueId, customerInfo: PHONE, ...changes });
  await applyAll(caught.projections.splice(0));
}

async function textOf(
  path: string,
  role: 'owner' | 'cashier' | 'viewer' = 'owner',
  language = 'en',
) {
  const response = await visit(await signedIn(role), path, language);
  expect(response.status).toBe(200);
  return response.text();
}

/** The note on a payment's page. */
function noteIn(html: string): string {
  return html.split('One order may be paid twice')[1]?.split('</section>')[0] ?? '';
}

test('both payments have a note with links to the other and to the refund', async () => {
  await pay('1042_1');
  await pay('1042_2');
  await pay('1043_1');
  const list = await textOf(LIST);
  expect(list.split('Paid twice?')).toHaveLength(3);
  for (const [id, other] of [
    ['1042_1', '1042_2'],
    ['1042_2', '1042_1'],
  ]) {
    expect(list).toContain(`href="${LIST}/${id}/refund"`);
    const note = noteIn(await textOf(`${LIST}/${id}`, 'cashier'));
    expect(note).toContain(`href="${LIST}/${other}"`);
    expect(note).toContain(`href="${LIST}/${id}/refund?transactionId=`);
  }
  expect(noteIn(await textOf(`${LIST}/1043_1`))).toBe('');
  // A viewer sees the note and may not refund.
  const [seen, note] = [
    await textOf(LIST, 'viewer'),
    noteIn(await textOf(`${LIST}/1042_1`, 'viewer')),
  ];
  expect(seen).toContain('Paid twice?');
  expect(note).toContain(`href="${LIST}/1042_2"`);
  expect(seen + note).not.toContain('/refund?');
  expect(seen).not.toContain('/refund"');
  expect(await textOf(LIST, 'owner', 'am')).toContain('ሁለት ጊዜ ተከፍሏል?');
});

test('after a refund of one, the note says so and offers none', async () => {
  await pay('1042_1');
  await pay('1042_2');
  const { paidAttemptId: attemptId } = await intentOf('1042_2');
  await clientOf('1042_2').execute([requestRefund('refund-1', { attemptId: attemptId ?? '' })]);
  await applyAll(caught.projections.splice(0));
  const list = await textOf(LIST);
  expect(list.split('Paid twice? See refund')).toHaveLength(3);
  expect(list).not.toContain('/refund"');
  for (const id of ['1042_1', '1042_2']) {
    const note = noteIn(await textOf(`${LIST}/${id}`));
    expect(note).toContain('Money of one of them was returned or is on its way.');
    expect(note).not.toContain('/refund?');
  }
});

test('the note blocks nothing, and the API does not show it', async () => {
  await pay('1042_1');
  await pay('1042_2');
  const status = await call('/api/v1/payment/sandbox/intent/1042_1');
  expect(status.status).toBe(200);
  expect(JSON.stringify(await status.json())).not.toContain('1042_2');
  const listed = await call('/api/v1/payment/sandbox/intents');
  expect(listed.status).toBe(200);
  expect(await listed.text()).not.toContain('sameOrder');
  await pay('1042_3');
  expect((await textOf(LIST)).split('Paid twice?')).toHaveLength(4);
});

test('the page of a payment is there while the book does not answer', async () => {
  await pay('1042_1');
  await pay('1042_2');
  const book = breakBook();
  expect(noteIn(await textOf(`${LIST}/1042_1`))).toBe('');
  expect(logged.join()).toContain('same_order_unknown');
  book.repair();
  expect(noteIn(await textOf(`${LIST}/1042_1`))).not.toBe('');
});
