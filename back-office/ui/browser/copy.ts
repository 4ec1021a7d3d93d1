import { announce } from './announce.ts';

/** Buttons that copy a text to the clipboard. Shown only where that works. */
export function copyButtons(): void {
  if (!navigator.clipboard) {
    return;
  }
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', () => copy(button));
  }
}

/** Buttons that print the page. */
export function printButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-print]')) {
    button.hidden = false;
    button.addEventListener('click', () => print());
  }
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const source = document.getElementById(button.dataset.copy ?? '');
  if (source === null) {
    return;
  }
  const isField = source instanceof HTMLInputElement || source instanceof HTMLTextAreaElement;
  try {
    // What a page shows may name invisible characters, so the button has the text itself.
    const text = button.dataset.value ?? (isField ? source.value : source.textContent);
    await navigator.clipboard.writeText(text);
    announce(button.dataset.copied ?? '');
    button.textContent = button.dataset.copied ?? '';
  } catch {
    // The browser forbids it, so the text is selected for the member to copy.
    if (isField) {
      source.select();
    } else {
      getSelection()?.selectAllChildren(source);
    }
  }
}
