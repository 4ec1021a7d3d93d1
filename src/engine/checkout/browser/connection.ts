const note = document.querySelector<HTMLElement>('[data-connection]');

/** Shows that the connection is lost, unless the page already says so or that a form was held back. */
export function tellLost(): void {
  // Setting the same text again would make screen readers repeat it.
  if (note?.textContent === '') {
    tell(note.dataset.text);
  }
}

/** Shows that a form was held back, until the connection is back. */
export function tellUnsent(): void {
  tell(note?.dataset.unsent);
}

export function tellBack(): void {
  if (note?.textContent !== '') {
    tell('');
  }
}

function tell(text = ''): void {
  if (note !== null) {
    note.textContent = text;
  }
}

export function startConnection(): void {
  addEventListener('offline', tellLost);
  addEventListener('online', tellBack);
  if (!navigator.onLine) {
    tellLost();
  }
}
