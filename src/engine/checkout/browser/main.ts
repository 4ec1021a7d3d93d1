/**
 * Improves the customer's page, which works without it. Data attributes of the page say what to do
 * and hold every text that is shown.
 */
import { startAutoReturn } from './auto-return.ts';
import { startConnection } from './connection.ts';
import { startCountdown } from './countdown.ts';
import { startForms } from './forms.ts';
import { startOpener } from './opener.ts';
import { startPhone } from './phone.ts';
import { startPolling } from './polling.ts';
import { startTotal } from './total.ts';

startConnection();
startOpener();
startPrint();
startShare();
startLeaving();
startAutoReturn();

const check = startPolling((remainingMs) => setRemaining(remainingMs));
const setRemaining = startCountdown(check);

startMethods();
startPhone();
const showTotal = startTotal();
startForms(() => {
  showTotal();
  // The page did not poll while a form was being sent.
  check(false);
});

/** Asks for a method in the page's language, where the browser would ask in its own. */
function startMethods(): void {
  const note = document.querySelector<HTMLElement>('#method-problem');
  const first = document.querySelector<HTMLInputElement>('[name=method]');
  first?.form?.addEventListener('submit', (event) => {
    if (note !== null && document.querySelector('[name=method]:checked') === null) {
      event.preventDefault();
      note.hidden = false;
      first.focus();
    }
  });
  first?.form?.addEventListener('change', () => note?.setAttribute('hidden', ''));
}

/** "Keep paying" closes the question. Without the script it reloads the page, as a link. */
function startLeaving(): void {
  const leave = document.querySelector<HTMLDetailsElement>('.leave');
  leave?.querySelector('a')?.addEventListener('click', (event) => {
    event.preventDefault();
    leave.open = false;
    leave.querySelector('summary')?.focus();
  });
}

/** Only a script can print, so only a script shows the button. */
function startPrint(): void {
  const button = document.querySelector<HTMLElement>('[data-print]');
  if (button !== null) {
    button.hidden = false;
    button.addEventListener('click', () => print());
  }
}

/** Hands the receipt's own link to an app of the phone. Some browsers cannot share. */
function startShare(): void {
  const button = document.querySelector<HTMLElement>('[data-share]');
  if (button !== null && 'share' in navigator) {
    button.hidden = false;
    button.addEventListener('click', () => {
      const { href: url } = new URL(button.dataset.share ?? '', location.href);
      // Rejected when the customer changes their mind.
      navigator.share({ title: document.title, url }).catch(() => {});
    });
  }
}
