/** Announces a text to screen readers only. */
export function announce(text: string): void {
  const announcer = document.querySelector('[data-announcer]');
  if (announcer !== null) {
    announcer.textContent = text;
  }
}
