import { fill } from './fill.ts';

/** Shows the total with the chosen method. Returns a function that shows it again. */
export function startTotal(): () => void {
  const show = (): void => {
    const chosen = document.querySelector<HTMLElement>('form[data-totals] [data-charged]:checked');
    if (chosen === null) {
      return;
    }
    const { charged = '', fee = '' } = chosen.dataset;
    for (const element of document.querySelectorAll<HTMLElement>('[data-by-method]')) {
      const withCharged = fill(element.dataset.byMethod, 'charged', charged);
      element.textContent = fill(withCharged, 'fee', fee);
    }
    for (const row of document.querySelectorAll<HTMLElement>('[data-fee-row]')) {
      row.hidden = fee === '';
    }
  };
  document.addEventListener('change', show);
  // Browsers restore the old values of forms only now.
  addEventListener('pageshow', show);
  show();
  return show;
}
