import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { brandCss } from '../../src/ui/brand.ts';

describe("a merchant's color", () => {
  test.each([
    ['dark background, light text', '#7a3b12', '--on-brand:#fff}'],
    ['light background, dark text', '#f5a623', '--on-brand:#000}'],
    ['white needs an edge', '#ffffff', '--on-brand:#000;--brand-edge:var(--edge)}'],
    [
      'near black needs an edge in dark mode',
      '#101411',
      '--on-brand:#fff;--brand-edge:var(--edge)}',
    ],
  ])('%s', (_name, color, end) => {
    expect(brandCss(color)).toBe(`:root{--brand:${color};--brand-strong:${color};${end}`);
  });

  test.each([null, '', 'red', '#fff', '#7A3B12', '#7a3b12;}body{display:none', '#7a3b1g'])(
    'rejects %s',
    (color) => {
      expect(brandCss(color)).toBeNull();
    },
  );

  test('uses the sheet colors of the style sheet', () => {
    const tokens = readFileSync('src/ui/styles/tokens.css', 'utf8');
    expect([...tokens.matchAll(/--sheet: (#\w+);/g)].map((match) => match[1])).toEqual([
      '#fff',
      '#161d1a',
    ]);
  });
});
