import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { brandCss, contrast } from '../../../src/kit/ui/brand.ts';

const TOKENS = readFileSync('src/kit/ui/styles/tokens.css', 'utf8');

/** The colors of a theme, by their names, without those that only lead to another. */
function colorsOf(css: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...css.matchAll(/--([\w-]+): ?(#[0-9a-f]{3,6})\b/g)].map(([, name = '', color = '']) => [
      name,
      color.length === 4 ? color.replace(/\w/g, '$&$&') : color,
    ]),
  );
}

const [LIGHT_CSS = '', DARK_CSS = ''] = TOKENS.split('@media');
const LIGHT = colorsOf(LIGHT_CSS);
const THEMES = { light: LIGHT, dark: { ...LIGHT, ...colorsOf(DARK_CSS) } };

const GROUNDS = ['page', 'surface', 'raised', 'sunk', 'hover'];

/** What is read on which grounds, and what must stand out from them. */
const PAIRS: readonly (readonly [shown: string, grounds: readonly string[], min: number])[] = [
  ['ink', [...GROUNDS, 'selected-tint', 'success-tint', 'bad-tint'], 4.5],
  ['soft', [...GROUNDS, 'selected-tint'], 4.5],
  ['link', GROUNDS, 4.5],
  ['success', ['surface', 'raised', 'success-tint'], 4.5],
  ['bad', ['page', 'surface', 'raised', 'bad-tint'], 4.5],
  ['warning', ['page', 'surface', 'raised', 'warning-tint'], 4.5],
  ['on-brand', ['brand', 'brand-strong'], 4.5],
  ['selected', [...GROUNDS, 'selected-tint'], 3],
  ['focus', [...GROUNDS, 'selected-tint'], 3],
  ['edge', [...GROUNDS, 'selected-tint'], 3],
  ['warning-mark', ['page', 'surface'], 3],
];

/** The pairs of a theme that are too near to each other. */
function faintIn(colors: Readonly<Record<string, string>>, pairs = PAIRS): readonly string[] {
  return pairs.flatMap(([shown, grounds, min]) =>
    grounds
      .filter((ground) => !(contrast(colors[shown] ?? '', colors[ground] ?? '') >= min))
      .map((ground) => `${shown} on ${ground}`),
  );
}

test.each(['light', 'dark'] as const)('every text and edge stands out, in %s', (theme) => {
  expect(faintIn(THEMES[theme])).toEqual([]);
});

describe("a merchant's color", () => {
  test.each([
    ['dark background, light text', '#7a3b12', '--on-brand:#fff;--link'],
    ['light background, dark text', '#f5a623', '--on-brand:#000;--link'],
    ['white needs an edge', '#ffffff', '--on-brand:#000;--brand-edge:var(--edge);'],
    [
      'near black needs an edge in dark mode',
      '#101411',
      '--on-brand:#fff;--brand-edge:var(--edge);',
    ],
  ])('%s', (_name, color, start) => {
    expect(brandCss(color)).toContain(`:root{--brand:${color};--brand-strong:${color};${start}`);
  });

  test('is the one accent where it stands out; elsewhere the accent has the color of text', () => {
    expect(marksOf('#7a3b12')).toEqual({ light: ['#7a3b12', '#7a3b12'], dark: ['ink', 'ink'] });
    expect(marksOf('#ffd500')).toEqual({ light: ['ink', 'ink'], dark: ['#ffd500', '#ffd500'] });
    // Enough for an edge, too little for text.
    expect(marksOf('#d96a00').light).toEqual(['ink', '#d96a00']);
  });

  test('never makes a text, a choice or a focus ring too faint', () => {
    const steps = ['00', '2b', '55', '80', 'aa', 'd5', 'ff'];
    const colors = steps.flatMap((red) =>
      steps.flatMap((green) => steps.map((blue) => `#${red}${green}${blue}`)),
    );
    const faint = colors.flatMap((color) =>
      Object.entries(brandedThemes(color)).flatMap(([theme, branded]) =>
        faintIn(branded, BRANDED_PAIRS).map((pair) => `${color}, ${theme}: ${pair}`),
      ),
    );
    expect(faint).toEqual([]);
  });

  test.each([null, '', 'red', '#fff', '#7A3B12', '#7a3b12;}body{display:none', '#7a3b1g'])(
    'rejects %s',
    (color) => {
      expect(brandCss(color)).toBeNull();
    },
  );
});

/** What customers see with a merchant's color; no text of theirs stands on the ground of a pointer. */
const BRANDED_PAIRS = PAIRS.map(
  ([shown, grounds, min]) => [shown, grounds.filter((ground) => ground !== 'hover'), min] as const,
).filter(([shown]) =>
  ['ink', 'soft', 'link', 'selected', 'focus', 'edge', 'on-brand'].includes(shown),
);

/** The colors of both themes with a merchant's. */
function brandedThemes(color: string) {
  const [light = '', dark = ''] = (brandCss(color) ?? '').split('@media');
  const shared = colorsOf(light);
  const themed = (css: string, theme: Readonly<Record<string, string>>) => {
    const own = { ...theme, ...shared, ...colorsOf(css) };
    const leads = [...css.matchAll(/--([\w-]+):var\(--ink\)/g)].map(([, name = '']) => name);
    return { ...own, ...Object.fromEntries(leads.map((name) => [name, own.ink ?? ''])) };
  };
  return { light: themed(light, THEMES.light), dark: themed(dark, THEMES.dark) };
}

/** The link and the selection of both themes. */
function marksOf(color: string) {
  const [light = '', dark = ''] = (brandCss(color) ?? '').split('@media');
  const marks = (css: string) =>
    ['link', 'selected'].map(
      (name) => new RegExp(`--${name}:(?:var\\(--)?([#\\w]+)`).exec(css)?.[1],
    );
  return { light: marks(light), dark: marks(dark) };
}
