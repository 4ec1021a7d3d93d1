/**
 * On a phone a line of links is wider than the screen. It scrolls to the current part, and to the
 * part that gets the focus, because browsers do not scroll to an element that is half visible.
 */
export function partsInSight(): void {
  for (const line of document.querySelectorAll<HTMLElement>('.nav, .tabs, .chips')) {
    const current = line.querySelector<HTMLElement>('[aria-current]');
    if (current !== null) {
      center(line, current);
    }
    line.addEventListener('focusin', ({ target }) => {
      // Never during a touch: a link that moves between press and release is not clicked.
      if (target instanceof HTMLElement && target.matches(':focus-visible')) {
        center(line, target);
      }
    });
  }
}

/** Not `scrollIntoView`, which would also move the starting point of the Tab key. */
function center(line: HTMLElement, part: HTMLElement): void {
  line.scrollLeft = part.offsetLeft - line.offsetLeft - (line.clientWidth - part.offsetWidth) / 2;
}
