const note = document.querySelector<HTMLElement>('[data-connection]');

/** Says that the connection is lost, in the page's words or in others. */
export function tellLost(text = note?.dataset.text ?? ''): void {
  // The same text again would be read out again.
  if (note !== null && note.textContent !== text) {
    note.textContent = text;
  }
}

/** Says that a form was kept back. */
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
