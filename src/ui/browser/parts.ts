/**
 * On a phone the line of parts is wider than the screen. It is pushed to the part where one is, and
 * to whichever the keyboard comes to: browsers leave alone what they show the half of.
 */
export function partsInSight(): void {
  const line = document.querySelector<HTMLElement>('.nav');
  const current = line?.querySelector<HTMLElement>('[aria-current]');
  if (!line || !current) {
    return;
  }
  center(line, current);
  line.addEventListener('focusin', ({ target }) => {
    // Never under a finger: what is pushed away between its coming and going is not clicked.
    if (target instanceof HTMLElement && target.matches(':focus-visible')) {
      center(line, target);
    }
  });
}

/** By hand: `scrollIntoView` would also move the place from which the Tab key goes on. */
function center(line: HTMLElement, part: HTMLElement): void {
  line.scrollLeft = part.offsetLeft - line.offsetLeft - (line.clientWidth - part.offsetWidth) / 2;
}
