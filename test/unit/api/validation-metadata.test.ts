import { expect, test } from 'vitest';
import { errorsOf, express, type Fields, hosted, orderOf } from './validation-fixture.ts';

/**
 * Goal: hosted and express requests take metadata within its bounds, as it was sent, and name each
 * fault (docs/api.md#metadata). Method: tables of values of the field.
 */

const KEYS = 'Every key must be 1 to 40 letters, digits, dots, hyphens or underscores.';

function entries(count: number): Fields {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, 'v']));
}

test.each<[string, Fields]>([
  ['no entry', {}],
  ['an empty value', { note: '' }],
  ['20 entries', entries(20)],
  ['the longest key', { ['k'.repeat(40)]: 'v' }],
  ['every kind of character', { 'aZ0_.-': 'ሰላም 🎉\n"\'\\' }],
  ['the longest value, in characters of two units', { key: '🎉'.repeat(500) }],
  ['names of the prototype', { constructor: 'a', toString: 'b', prototype: 'c' }],
  ['a number as a key', { 7: 'seven' }],
])('takes %s', (_name, metadata) => {
  expect(orderOf(hosted({ metadata })).metadata).toEqual(metadata);
  expect(orderOf(express({ metadata })).metadata).toEqual(metadata);
});

test('decisions.md#6: an empty list, which PHP makes of an empty map, is no metadata and no customer', () => {
  const given = { metadata: [], customerInfo: [] };
  for (const order of [orderOf(hosted(given)), orderOf(express(given))]) {
    expect(order).toMatchObject({ metadata: {}, customer: null });
  }
});

test.each<[string, unknown, Record<string, string>]>([
  ['a text', 'cart=1', { metadata: 'Must be a JSON object.' }],
  ['a list', ['cart'], { metadata: 'Must be a JSON object.' }],
  ['21 entries', entries(21), { metadata: 'Must have at most 20 entries.' }],
  ['an empty key', { '': 'v' }, { metadata: KEYS }],
  ['a key of 41 characters', { ['k'.repeat(41)]: 'v' }, { metadata: KEYS }],
  ['a key with a space', { 'cart id': 'v' }, { metadata: KEYS }],
  ['a key with a line end', { 'cart\n': 'v' }, { metadata: KEYS }],
  ['a key with a letter of another script', { ቁልፍ: 'v' }, { metadata: KEYS }],
  [
    'the reserved key',
    JSON.parse('{"__proto__":"v"}'),
    { metadata: 'Must not have the key __proto__.' },
  ],
  [
    'values that are no texts',
    { count: 7, none: null, nested: { a: 'b' }, good: 'v' },
    {
      'metadata.count': 'Must be a string.',
      'metadata.none': 'Must be a string.',
      'metadata.nested': 'Must be a string.',
    },
  ],
  [
    'a value of 501 characters',
    { cart: 'v'.repeat(501) },
    { 'metadata.cart': 'Must be at most 500 characters long.' },
  ],
])('decisions.md#36: refuses %s', (_name, metadata, errors) => {
  expect(errorsOf(hosted({ metadata }))).toEqual(errors);
  expect(errorsOf(express({ metadata }))).toEqual(errors);
});
