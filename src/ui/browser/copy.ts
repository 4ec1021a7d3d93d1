import { announce } from './announce.ts';

/** Buttons that copy a field's text to the clipboard. Shown only where that works. */
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
    // The browser forbids it, so the text is selected for the member to copy.
    field.select();
  }
}
