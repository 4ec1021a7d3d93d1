/**
 * A merchant's color on our pages. Behind text it is only a background: the text is black or white,
 * so that it is readable (one of them always reaches 4.5:1, WCAG 2.2, 1.4.3). Links, choices and
 * focus rings have the color where it stands out from every ground of the theme, otherwise that of
 * text, so that a page never shows a second accent.
 */

interface Theme {
  /** `--surface` in `tokens.css`. */
  readonly surface: string;
  /** `--page` or `--raised`: of the theme's grounds the one nearest to its text. */
  readonly worst: string;
}

const LIGHT: Theme = { surface: '#ffffff', worst: '#f1f4f1' };
const DARK: Theme = { surface: '#161d1a', worst: '#202a26' };

/** WCAG 2.2, 1.4.3 and 1.4.11: what text and what edges of controls need. */
const TEXT_CONTRAST = 4.5;
const MARK_CONTRAST = 3;

/** Below this contrast a button does not stand out from its surface and gets an edge. */
const EDGE_CONTRAST_MIN = 1.6;

/** The share of the color in the background of a chosen item. */
const TINT = 0.08;

/** The style sheet of a brand, a rule for each theme. Null unless `color` is `#rrggbb`. */
export function brandCss(color: string | null): string | null {
  if (color === null || !/^#[0-9a-f]{6}$/.test(color)) {
    return null;
  }
  const { text, needsEdge } = brandLook(color);
  const edge = needsEdge ? ';--brand-edge:var(--edge)' : '';
  const brand = `--brand:${color};--brand-strong:${color};--on-brand:${text}${edge}`;
  const dark = `@media(prefers-color-scheme:dark){:root{${marksIn(DARK, color)}}}`;
  return `:root{${brand};${marksIn(LIGHT, color)}}${dark}`;
}

/** The text color on `color` (`#rrggbb`), and whether a button of it needs an edge. */
export function brandLook(color: string) {
  return {
    text: contrast(color, '#ffffff') >= contrast(color, '#000000') ? '#fff' : '#000',
    needsEdge: [LIGHT, DARK].some(({ surface }) => contrast(color, surface) < EDGE_CONTRAST_MIN),
  };
}

function marksIn({ surface, worst }: Theme, color: string): string {
  const tint = mixed(color, surface);
  const least = Math.min(...[worst, tint].map((ground) => contrast(color, ground)));
  const mark = least >= MARK_CONTRAST ? color : 'var(--ink)';
  const link = least >= TEXT_CONTRAST ? color : 'var(--ink)';
  return `--link:${link};--selected:${mark};--selected-tint:${tint};--focus:${mark}`;
}

/** A little of `color` on `ground`. */
function mixed(color: string, ground: string): string {
  const channels = channelsOf(ground).map((from, index) => {
    const to = channelsOf(color)[index] ?? from;
    return Math.round(from + (to - from) * TINT)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${channels.join('')}`;
}

/** WCAG 2.2, "contrast ratio": 1 … 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** WCAG 2.2, "relative luminance": 0 … 1. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((value) => {
    const channel = value / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Red, green and blue of `#rrggbb`: 0 … 255. */
function channelsOf(color: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}
