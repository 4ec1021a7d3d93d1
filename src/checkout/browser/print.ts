/** Only a script can print, so only a script shows the button. */
export function startPrint(): void {
  const button = document.querySelector<HTMLElement>('[data-print]');
  if (button !== null) {
    button.hidden = false;
    button.addEventListener('click', () => print());
  }
}
