/**
 * A merchant's color on our pages. It is only a background: text on it is black or white, whichever
 * is readable (one of them always reaches 4.5:1, WCAG 2.2, 1.4.3). Links and focus rings keep our
 * own colors, which are tested in light and dark.
 */

/** Relative luminance of the sheet in light and dark, as `tokens.css` paints it. */
const SHEET_LUMINANCES = [luminanceOf('#ffffff'), luminanceOf('#161d1a')];

/** Below this contrast a button does not stand out from its sheet and gets an edge. */
const EDGE_CONTRAST_MIN = 1.6;

/** The style sheet of a brand, one rule. Null unless `color` is `#rrggbb`. */
export function brandCss(color: string | null): string | null {
  if (color === null || !/^#[0-9a-f]{6}$/.test(color)) {
    return null;
  }
  const { text, needsEdge } = brandLook(color);
  const edge = needsEdge ? ';--brand-edge:var(--edge)' : '';
  return `:root{--brand:${color};--brand-strong:${color};--on-brand:${text}${edge}}`;
}

/** The text color on `color` (`#rrggbb`), and whether a button of it needs an edge. */
export function brandLook(color: string) {
  const luminance = luminanceOf(color);
  return {
    text: contrast(luminance, 1) >= contrast(luminance, 0) ? '#fff' : '#000',
    needsEdge: SHEET_LUMINANCES.some((sheet) => contrast(luminance, sheet) < EDGE_CONTRAST_MIN),
  };
}

/** WCAG 2.2, "contrast ratio": 1 … 21. */
function contrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** WCAG 2.2, "relative luminance": 0 … 1. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
