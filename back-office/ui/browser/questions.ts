/** Asks for confirmation before forms that cannot be undone, by the dialog that each contains. */
export function questions(): void {
  for (const dialog of document.querySelectorAll('dialog')) {
    dialog.querySelector('[data-close]')?.addEventListener('click', () => dialog.close());
    dialog.closest('form')?.addEventListener('submit', (event) => {
      if (dialog.open) {
        // The dialog's own button sent the form, because an open dialog blocks all others.
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
