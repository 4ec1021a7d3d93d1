import { afterEach, expect, test, vi } from 'vitest';
import { type LoggedAnswer, logRailAnswer } from '../../src/engine/rails/rail-log.ts';
import { watchRailAnswers } from '../support/rails/logged.ts';

/** Goal: an operator can read a provider's answer, without secrets or personal data. */

afterEach(() => {
  vi.restoreAllMocks();
});

const ENTRY = { rail: 'cbe-birr', call: 'TXNSTAT', reference: 'H7K2M9QX4T0B8ZC3VN5D' };

function logAnswer(answer: LoggedAnswer): void {
  const { rail, call, reference } = ENTRY;
  logRailAnswer(rail, call, { attempt: { reference } }, answer);
}

test('logs exactly these fields', () => {
  const lines = watchRailAnswers();
  logAnswer({ providerCode: null });
  logAnswer({ railReference: 'A2B3', status: 200, providerCode: 'X-1', level: 'info' });
  expect(lines).toEqual([
    { level: 'warn', ...ENTRY, providerCode: null },
    { level: 'info', ...ENTRY, railReference: 'A2B3', status: 200, providerCode: 'X-1' },
  ]);
});

test.each([
  ['60200099', '60200099'],
  ['Not_moved. -1', 'Not_moved. -1'],
  ['x'.repeat(64), 'x'.repeat(64)],
  ['x'.repeat(65), '(unprintable)'],
  ['', '(unprintable)'],
  ['+251911234567', '(unprintable)'],
  ['{"a":1}', '(unprintable)'],
  ['two\nlines', '(unprintable)'],
  ['PAID\n', '(unprintable)'],
  ['ተከፍሏል', '(unprintable)'],
  ['251911234567', '(unprintable)'],
  ['ws_CO_DMZ_12321_0711234567', '(unprintable)'],
  ['49401024995', '49401024995'],
])('the word %j is shown as %j', (providerCode, shown) => {
  const lines = watchRailAnswers();
  logAnswer({ providerCode });
  expect(lines).toMatchObject([{ providerCode: shown }]);
});

test('logs no additional fields of an adapter', () => {
  const lines = watchRailAnswers();
  const more = { providerCode: 'PAID', body: 'secret', phone: '251911234567' };
  logAnswer(more);
  expect(lines).toEqual([{ level: 'warn', ...ENTRY, providerCode: 'PAID' }]);
});
