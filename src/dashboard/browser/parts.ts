/**
 * On a phone the line of parts is wider than the screen. It is pushed to the part where one is, and
 * to whichever gets the focus: browsers leave alone what they show the half of.
 */
export function partsInSight(): void {
  const line = document.querySelector<HTMLElement>('.nav');
  if (line !== null) {
    center(line, line.querySelector('[aria-current]'));
    line.addEventListener('focusin', ({ target }) => center(line, target));
  }
}

/** By hand: `scrollIntoView` would also move the place from which the Tab key goes on. */
function center(line: HTMLElement, part: EventTarget | null): void {
  if (part instanceof HTMLElement) {
    line.scrollLeft = part.offsetLeft - line.offsetLeft - (line.clientWidth - part.offsetWidth) / 2;
  }
}
