const note = document.querySelector<HTMLElement>('[data-connection]');

/** Shows that the connection is lost, with the default text or another one. */
export function tellLost(text = note?.dataset.text ?? ''): void {
  // Setting the same text again would make screen readers repeat it.
  if (note !== null && note.textContent !== text) {
    note.textContent = text;
  }
}

/** Shows that a form was held back. */
export function tellUnsent(): void {
  tellLost(note?.dataset.unsent);
}

export function tellBack(): void {
  tellLost('');
}

export function startConnection(): void {
  addEventListener('offline', () => tellLost());
  addEventListener('online', tellBack);
  if (!navigator.onLine) {
    tellLost();
  }
}
