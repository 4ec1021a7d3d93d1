/** Asks for confirmation before forms that cannot be undone. */
export function questions(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-confirm]')) {
    form.addEventListener('submit', (event) => {
      if (!confirm(form.dataset.confirm)) {
        event.preventDefault();
      }
    });
  }
}
