import { expect, test } from 'vitest';
import { type Cursor, cursorText, parseCursor } from '../../../src/kit/platform/paging.ts';

/** Goal: Kefel reads a cursor from a URL only if Kefel made it. */

test.each([
  '',
  'x',
  '0',
  '%00',
  'bm9uc2Vuc2U',
  btoa('o.12'),
  btoa('o.-1.abc'),
  btoa('o.1.ab c'),
  btoa("o.1.a';--"),
  btoa('p.1.abc'),
  btoa(`o.${'9'.repeat(16)}.a`),
  'A'.repeat(100_000),
])('rejects garbage as a cursor: %.20s', (text) => {
  expect(parseCursor(text)).toBeNull();
});

test('a cursor is unchanged after encoding and decoding', () => {
  const cursor: Cursor = {
    direction: 'newer',
    atMs: 1,
    id: '00000005-0000-4000-8000-000000000000',
  };
  expect(parseCursor(cursorText(cursor))).toEqual(cursor);
});
