import { fill } from './fill.ts';

/** Shows the total with the chosen method. Returns a function that shows it again. */
export function startTotal(): () => void {
  const show = (): void => {
    const chosen = document.querySelector<HTMLElement>('form[data-totals] [data-charged]:checked');
    if (chosen === null) {
      return;
    }
    for (const element of document.querySelectorAll<HTMLElement>('[data-by-method]')) {
      element.textContent = Object.entries(chosen.dataset).reduce(
        (text, [name, value = '']) => fill(text, name, value),
        element.dataset.byMethod ?? '',
      );
    }
  };
  document.addEventListener('change', show);
  // Browsers restore the old values of forms only now.
  addEventListener('pageshow', show);
  show();
  return show;
}
