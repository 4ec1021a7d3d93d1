/** Tells screen readers, and nobody else. */
export function announce(text: string): void {
  const announcer = document.querySelector('[data-announcer]');
  if (announcer !== null) {
    announcer.textContent = text;
  }
}
