import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { repeatedPaths } from '../../../src/kit/http/repeated-paths.ts';

/**
 * Goal: a body that names one field twice is refused, because `JSON.parse` keeps the last value and
 * a proxy before us may have read the first (docs/decisions.md#10). Method: texts at each depth and
 * with each escape, texts that a JSON library writes, and hostile ones within the body's limit.
 */

describe('finds a field that one object names twice', () => {
  test.each<[string, string, string[]]>([
    ['in the body', '{"amount": 150.5, "currency": "ETB", "amount": 1}', ['amount']],
    ['with an escape', '{"amount":1,"amo\\u0075nt":2}', ['amount']],
    ['with spaces before the colon', '{"a" : 1, "a"\n:2}', ['a']],
    ['three times, as one', '{"a":1,"a":2,"a":3}', ['a']],
    ['in an item', '{"items":[{"price":1},{"price":1,"name":"x","price":2}]}', ['items[1].price']],
    ['in the customer', '{"customerInfo":{"phone":"1","phone":"2"}}', ['customerInfo.phone']],
    ['before and after an object', '{"a":{"b":1},"a":2}', ['a']],
    ['with an inherited name', '{"constructor":1,"constructor":2}', ['constructor']],
    ['named __proto__', '{"__proto__":1,"__proto__":2}', ['__proto__']],
    ['with an empty name', '{"":1,"":2}', ['']],
    ['with half of a pair', '{"\\ud83d":1,"\\ud83d":2}', ['\ufffd']],
    ['in two places', '{"b":[[{"c":1,"c":2}]],"b":0}', ['b[0][0].c', 'b']],
  ])('%s', (_name, text, paths) => {
    expect(JSON.parse(text)).toBeDefined();
    expect(repeatedPaths(text)).toEqual(paths);
  });

  test.each([
    ['another case', '{"amount":1,"Amount":2}'],
    ['objects side by side', '{"items":[{"name":"x"},{"name":"x"}]}'],
    ['an object in an object', '{"a":{"a":{"a":1}}}'],
    ['texts that look like names', '{"a":"\\"a\\":1,\\"a\\":2","b":"{\\"b\\":1}"}'],
    ['a backslash at the end of a text', '{"a":"\\\\","b":"\\\\"}'],
    ['texts in a list', '["a","a",":"]'],
    ['no object', '"a"'],
  ])('and not %s', (_name, text) => {
    expect(repeatedPaths(text)).toEqual([]);
  });

  test('finds none in what a library writes, and each name that the test adds', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
        fc.boolean(),
        (value, isSpaced) => {
          const text = JSON.stringify(value, null, isSpaced ? 2 : 0);
          expect(repeatedPaths(text)).toEqual([]);
          const name = JSON.stringify(Object.keys(value)[0]);
          expect(repeatedPaths(`${text.slice(0, -1)},${name}:0}`)).toHaveLength(1);
        },
      ),
    );
  });
});

describe('takes linear time and answers little', () => {
  const BYTES = 65_536;
  const repeat = (text: string) => text.repeat(BYTES / text.length);

  test.each([
    ['a deep array', `${'['.repeat(BYTES / 2)}${']'.repeat(BYTES / 2)}`, 0],
    ['a deep object', `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`, 0],
    ['many repeated names', `{${repeat('"a":1,')}"a":1}`, 1],
    ['many objects with repeated names', `[${repeat('{"a":1,"a":1},')}0]`, 20],
    ['many different names', `{${Array.from({ length: 7_000 }, (_, at) => `"${at}":1`)}}`, 0],
    ['a long text of escapes', `{"a":"${repeat('\\\\')}"}`, 0],
    ['a long name twice', `{"${'a'.repeat(30_000)}":1,"${'a'.repeat(30_000)}":1}`, 1],
    [
      'repeated names at the bottom',
      `${'{"a":'.repeat(9_000)}{"b":1,"b":1}${'}'.repeat(9_000)}`,
      1,
    ],
  ])('with %s', (_name, text, count) => {
    const paths = repeatedPaths(text);
    expect(paths).toHaveLength(count);
    expect(Math.max(0, ...paths.map(({ length }) => length))).toBeLessThan(600);
  });
});
