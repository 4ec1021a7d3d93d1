import { describe, expect, test } from 'vitest';
import { returnUrlFor } from '../../../src/engine/checkout/return-url.ts';
import { attemptWith, intentWith } from '../../support/checkout-fixtures.ts';

const OURS = 'paymentIntentUniqueId=order-1001&status=OPEN';

describe('decisions.md#20: the way back to the merchant', () => {
  test.each([
    ['no query', 'https://a.example/done', `https://a.example/done?${OURS}`],
    ['no path', 'https://a.example', `https://a.example/?${OURS}`],
    ['own query', 'https://a.example/?x=1', `https://a.example/?x=1&${OURS}`],
    ['an empty query', 'https://a.example/?', `https://a.example/?${OURS}`],
    ['a query that ends in &', 'https://a.example/?x=1&', `https://a.example/?x=1&${OURS}`],
    ['a bare key', 'https://a.example/?x', `https://a.example/?x&${OURS}`],
    ['a fragment', 'https://a.example/#/done', `https://a.example/?${OURS}#/done`],
    [
      'query and fragment',
      'https://a.example/?x=1#top?y=2',
      `https://a.example/?x=1&${OURS}#top?y=2`,
    ],
    [
      'its own encoding',
      'https://a.example/?q=a+b%20c%2Bd&r=%C3%A9;s',
      `https://a.example/?q=a+b%20c%2Bd&r=%C3%A9;s&${OURS}`,
    ],
    ['a port', 'http://localhost:3000/x', `http://localhost:3000/x?${OURS}`],
  ])('keeps %s', (_name, returnUrl, expected) => {
    expect(returnUrlFor(intentWith({ returnUrl }))).toBe(expected);
  });

  test.each([
    ['status=mine&x=1', `x=1&${OURS}`],
    ['x=1&status=mine&y=%20+&paymentIntentUniqueId=2', `x=1&y=%20+&${OURS}`],
    ['transactionId=t', OURS],
    ['st%61tus=mine', OURS],
    ['status&status=&Status=1', `Status=1&${OURS}`],
    ['statuses=1&my.status=2', `statuses=1&my.status=2&${OURS}`],
  ])('replaces parameters with our names in %s', (query, expected) => {
    const returnUrl = `https://a.example/?${query}`;
    expect(returnUrlFor(intentWith({ returnUrl }))).toBe(`https://a.example/?${expected}`);
  });

  test.each([
    ['myshop://paid', `myshop://paid?${OURS}`],
    ['myshop://paid/a?x=1#top', `myshop://paid/a?x=1&${OURS}#top`],
    ['com.example.shop://orders', `com.example.shop://orders?${OURS}`],
  ])('leads to the app %s', (returnUrl, expected) => {
    expect(returnUrlFor(intentWith({ returnUrl }))).toBe(expected);
  });

  test.each([
    'javascript://%0aalert(1)',
    'data:text/html,x',
    'intent://x#Intent;end',
    'file:///etc/passwd',
    'tel:0911223344',
    'myshop:paid',
    'ms-settings://x',
  ])('leads nowhere by %s', (returnUrl) => {
    expect(returnUrlFor(intentWith({ returnUrl }))).toBe(null);
  });

  test('writes an international host and path in ASCII', () => {
    const returnUrl = 'https://ክፈል.example/እ';
    const text = returnUrlFor(intentWith({ returnUrl }));
    expect(text).toBe(`${new URL(returnUrl).href}?${OURS}`);
    expect(text).toMatch(/^https:\/\/xn--[a-z0-9-]+\.example\/%E1%8A%A5\?/);
  });

  test('encodes the unique id for every kind of decoder', () => {
    const uniqueId = 'a b+c&status=SUCCESS#é/\ud800';
    const text = returnUrlFor(intentWith({ uniqueId })) ?? '';
    expect(text).toContain('paymentIntentUniqueId=a%20b%2Bc%26status%3DSUCCESS%23%C3%A9%2F');
    const parameters = new URL(text).searchParams;
    expect(parameters.getAll('status')).toEqual(['OPEN']);
    expect(parameters.get('paymentIntentUniqueId')).toBe('a b+c&status=SUCCESS#é/\ufffd');
  });

  test.each([
    ['open', 'OPEN'],
    ['processing', 'PROCESSING'],
    ['succeeded', 'SUCCESS'],
    ['failed', 'FAILED'],
    ['expired', 'EXPIRED'],
    ['canceled', 'CANCELED'],
  ] as const)('reports %s as %s', (status, word) => {
    const text = returnUrlFor(intentWith({}, { status })) ?? '';
    expect(new URL(text).searchParams.get('status')).toBe(word);
  });

  test('names the paid transaction, if there is one', () => {
    const paid = attemptWith({ reference: 'P'.repeat(20), status: 'succeeded' });
    const later = attemptWith({ id: 'later', reference: 'L'.repeat(20) });
    const text = returnUrlFor(
      intentWith({}, { status: 'succeeded', paidAttemptId: paid.id, attempts: [paid, later] }),
    );
    expect(new URL(text ?? '').searchParams.get('transactionId')).toBe(paid.reference);
    expect(returnUrlFor(intentWith())).not.toContain('transactionId');
  });

  test.each([null, 'javascript:alert(1)', 'data:text/html,x', 'nonsense'])(
    'never links to %s',
    (url) => {
      expect(returnUrlFor(intentWith({ returnUrl: url }))).toBeNull();
    },
  );
});
