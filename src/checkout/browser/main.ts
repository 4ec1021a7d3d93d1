/**
 * Makes the customer's page comfortable; it works without. The page says in data attributes what to
 * do, and holds every word that is shown.
 */
import { startAutoReturn } from './auto-return.ts';
import { startConnection } from './connection.ts';
import { startCountdown } from './countdown.ts';
import { startForms } from './forms.ts';
import { startPolling } from './polling.ts';
import { startPrint } from './print.ts';
import { startTotal } from './total.ts';

startConnection();
startPrint();
startAutoReturn();

const check = startPolling((remainingMs) => setRemaining(remainingMs));
const setRemaining = startCountdown(check);

const showTotal = startTotal();
startForms(() => {
  showTotal();
  // While a form was on its way, nothing was asked.
  check(false);
});
