import { tellUnsent } from './connection.ts';
import { onRestore } from './page.ts';

/**
 * A submission without a new page by then was lost, or a bank's app opened instead. The customer
 * may try again.
 */
const BUSY_MS_MAX = 30_000;

/** Sends each form once. Calls `onRestored` when it can be sent again. */
export function startForms(onRestored: () => void): void {
  let undos: (() => void)[] = [];
  let timer: number | undefined;
  const warned = new WeakSet<HTMLFormElement>();

  const restore = (): void => {
    clearTimeout(timer);
    for (const undo of undos) {
      undo();
    }
    undos = [];
    onRestored();
  };

  document.addEventListener('submit', (event) => {
    const form = event.target;
    const isOurs = form instanceof HTMLFormElement && form.dataset.once !== undefined;
    if (!isOurs || event.defaultPrevented) {
      return;
    }
    if (!navigator.onLine && !warned.has(form)) {
      // Only once, because browsers can be wrong about being offline.
      event.preventDefault();
      warned.add(form);
      tellUnsent();
    } else if (form.hasAttribute('aria-busy')) {
      event.preventDefault();
    } else {
      // Safari before 15.4 does not name the submitter.
      undos.push(markBusy(form, event.submitter ?? form.querySelector('button')));
      clearTimeout(timer);
      timer = setTimeout(restore, BUSY_MS_MAX);
    }
  });
  onRestore(restore);
}

/** Not `disabled`, which would drop the button's value and the focus. */
function markBusy(form: HTMLFormElement, button: HTMLElement | null): () => void {
  const label = [...(button?.childNodes ?? [])];
  form.setAttribute('aria-busy', 'true');
  button?.setAttribute('aria-disabled', 'true');
  if (button?.dataset.busy !== undefined) {
    button.textContent = button.dataset.busy;
  }
  return () => {
    form.removeAttribute('aria-busy');
    button?.removeAttribute('aria-disabled');
    button?.replaceChildren(...label);
  };
}
