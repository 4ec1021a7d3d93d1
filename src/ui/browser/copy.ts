import { announce } from './announce.ts';

/** Buttons that put a field's text on the clipboard: shown only where that works. */
export function copyButtons(): void {
  if (!navigator.clipboard) {
    return;
  }
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', () => copy(button));
  }
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const field = document.getElementById(button.dataset.copy ?? '');
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) {
    return;
  }
  try {
    await navigator.clipboard.writeText(field.value);
    announce(button.dataset.copied ?? '');
    button.textContent = button.dataset.copied ?? '';
  } catch {
    // The browser forbids it: the text is selected, to be copied by hand.
    field.select();
  }
}
