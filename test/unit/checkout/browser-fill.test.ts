import { expect, test } from 'vitest';
import { fill } from '../../../src/engine/checkout/browser/fill.ts';

test.each([
  { template: 'Time left: {time}', name: 'time', value: '9:05', text: 'Time left: 9:05' },
  { template: '{fee} and {fee}', name: 'fee', value: 'ETB 1', text: 'ETB 1 and ETB 1' },
  { template: 'Pay {charged}', name: 'charged', value: '$& $1 $$', text: 'Pay $& $1 $$' },
  { template: '{time} at {Shop}', name: 'time', value: '1', text: '1 at {Shop}' },
  { template: 'ክፈል {charged}', name: 'charged', value: 'ብር 1', text: 'ክፈል ብር 1' },
  { template: '', name: 'time', value: '1', text: '' },
  { template: undefined, name: 'time', value: '1', text: '' },
  { template: '{seconds} s', name: 'seconds', value: 0, text: '0 s' },
])('$template', ({ template, name, value, text }) => {
  expect(fill(template, name, value)).toBe(text);
});
