/** Asks for confirmation before forms that cannot be undone, by the dialog that each contains. */
export function questions(): void {
  for (const dialog of document.querySelectorAll('dialog')) {
    dialog.querySelector('[data-close]')?.addEventListener('click', () => dialog.close());
    dialog.closest('form')?.addEventListener('submit', (event) => {
      if (dialog.open) {
        // Its own button sends the form: nothing else can be pressed meanwhile.
        dialog.close();
      } else if (typeof dialog.showModal === 'function') {
        event.preventDefault();
        dialog.showModal();
      } else if (!confirm(dialog.getAttribute('aria-label') ?? '')) {
        event.preventDefault();
      }
    });
  }
}
