import type { ComponentChildren } from 'preact';

/** Figures of the gateway as tiles, which stand below each other on a phone. */
export function Tiles({ children }: { readonly children: ComponentChildren }) {
  return <div class="tiles">{children}</div>;
}

export interface TileProps {
  readonly title: ComponentChildren;
  readonly value?: ComponentChildren;
  /** Something that needs a person. Its value or explanation says so in words, too. */
  readonly isBad?: boolean;
  readonly children?: ComponentChildren;
}

/** A figure, and what explains it. */
export function Tile(props: TileProps) {
  const { title, value, isBad = false, children } = props;
  return (
    <article class={isBad ? 'tile tile-bad' : 'tile'}>
      <h3>{title}</h3>
      {value !== undefined && <p class="tile-value">{value}</p>}
      {children}
    </article>
  );
}

/** Lengths of the drawing, which is stretched to the width of its tile. */
const BAR_WIDTH = 100;
const BAR_HEIGHT = 8;

/** A share as a bar, with a mark where another share is. The tile has both as numbers. */
export function ShareBar(props: { readonly share: number | null; readonly mark?: number | null }) {
  const { share, mark = null } = props;
  return share === null && mark === null ? null : (
    <svg
      class="share-bar"
      viewBox={`0 0 ${BAR_WIDTH} ${BAR_HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect class="chart-ground" width={BAR_WIDTH} height={BAR_HEIGHT} />
      {share !== null && <rect class="chart-bar" width={lengthOf(share)} height={BAR_HEIGHT} />}
      {mark !== null && <path class="share-mark" d={`M${lengthOf(mark)} 0V${BAR_HEIGHT}`} />}
    </svg>
  );
}

/** To tenths: smaller parts are invisible and cost bytes. */
function lengthOf(share: number): number {
  return Math.round(Math.min(share, 1) * BAR_WIDTH * 10) / 10;
}
