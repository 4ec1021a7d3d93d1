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
startLeaving();
startAutoReturn();

const check = startPolling((remainingMs) => setRemaining(remainingMs));
const setRemaining = startCountdown(check);

startPhone();
const showTotal = startTotal();
startForms(() => {
  showTotal();
  // The page did not poll while a form was being sent.
  check(false);
});

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
