/** On a phone the line of parts is wider than the screen: it is pushed to where one is. */
export function currentPart(): void {
  const part = document.querySelector<HTMLElement>('.nav [aria-current]');
  const line = part?.parentElement;
  if (part && line) {
    line.scrollLeft = part.offsetLeft - line.offsetLeft - (line.clientWidth - part.offsetWidth) / 2;
  }
}
