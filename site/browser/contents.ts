/** From this width on the contents stand beside the page (site.css). */
const BESIDE = matchMedia('(min-width: 75rem)');
/** Share of the window above which a heading's part counts as begun. */
const READING_LINE = 0.3;

/** Opens the list of the page's parts where there is room beside it, and marks the part being read. */
export function startContents(): void {
  const details = document.querySelector<HTMLDetailsElement>('.contents details');
  if (!details) {
    return;
  }
  const open = () => {
    details.open = BESIDE.matches;
  };
  BESIDE.addEventListener('change', open);
  open();
  const links = [...details.querySelectorAll('a')];
  const mark = () => {
    const begun = links.filter(hasBegun);
    for (const link of links) {
      link.ariaCurrent = link === begun[begun.length - 1] ? 'location' : null;
    }
  };
  addEventListener('scroll', mark, { passive: true });
  mark();
}

/** Whether the reader has come to the part that the link names. */
function hasBegun({ hash }: HTMLAnchorElement): boolean {
  const heading = document.getElementById(decodeURIComponent(hash.slice(1)));
  return heading !== null && heading.getBoundingClientRect().top < innerHeight * READING_LINE;
}
