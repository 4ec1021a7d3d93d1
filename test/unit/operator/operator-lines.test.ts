import { expect, test } from 'vitest';
import { linesOf } from '../../../scripts/operator/text.ts';
import { VIEWS } from '../../../scripts/operator/views.ts';

const textOf = (name: 'backup' | 'payment', content: object): string =>
  (VIEWS[name] as (content: object) => readonly string[])(content).join('\n');

const payment = (proposal: object | null) => ({
  attempts: [],
  refunds: [{ reference: 'WXY43W875ZPM648BRY4Q', proposal }],
});

test('names the decision that waits for another operator, below the payment', () => {
  const outcome = { type: 'succeeded', railReference: 'RF99' };
  const text = textOf('payment', payment({ operator: 'Sara', outcome }));
  expect(text).toMatch(/WXY43W875ZPM648BRY4Q waits for another operator.+Sara.+RF99/);
  expect(textOf('payment', payment(null))).not.toContain('another operator');
});

test.each([
  [{ isFinished: false, hasMembers: false, booksLeft: 0 }, 'waits for the members'],
  [{ isFinished: false, hasMembers: true, booksLeft: 3 }, 'waits for 3 books'],
  [{ isFinished: false, hasMembers: true, booksLeft: 0 }, 'waits for the tables'],
  [{ isFinished: true, hasMembers: true, booksLeft: 0, run: '20261127T013700Z' }, '20261127T01'],
])('says what a backup waits for: %j', (begun, text) => {
  expect(textOf('backup', { run: null, ...begun })).toContain(text);
});

test('names a column of times without its unit', () => {
  expect(linesOf([{ atMs: 0 }], ['atMs'])).toEqual(['At', '1970-01-01 00:00:00 UTC']);
});
