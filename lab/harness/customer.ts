import { formPost, type HttpRequest } from '../../scripts/gateway/http.ts';

/** The customer's forms on the checkout page and on the simulator's page, and what these pages show. */

/** `attempts`: how many the customer's page showed. */
export function chooseMethod(
  checkoutUrl: string,
  choice: { readonly method: string; readonly phone?: string; readonly attempts: number },
): HttpRequest {
  return formPost(`${checkoutUrl}/attempts`, { ...choice, attempts: String(choice.attempts) });
}

export function abandonAttempt(checkoutUrl: string, attempt: string): HttpRequest {
  return formPost(`${checkoutUrl}/abandon`, { attempt });
}

export function giveUp(checkoutUrl: string): HttpRequest {
  return formPost(`${checkoutUrl}/give-up`, {});
}

export type CustomerChoice = 'approve' | 'decline' | 'give_up';

export function decide(simulatorUrl: string, outcome: CustomerChoice): HttpRequest {
  return formPost(simulatorUrl.replace('/simulator/', '/rails/simulator/'), { outcome });
}

export interface CheckoutPage {
  /** The form's number of attempts; null where no method can be chosen. */
  readonly attempts: number | null;
  /** The attempt that the customer can abandon. */
  readonly attemptId: string | null;
  /** Where the customer continues an attempt. */
  readonly simulatorUrl: string | null;
}

export function checkoutPage(html: string): CheckoutPage {
  const [attempts, attemptId] = ['attempts', 'attempt'].map((name) => fieldIn(html, name));
  return {
    attempts: attempts == null ? null : Number(attempts),
    attemptId: attemptId ?? null,
    simulatorUrl: /href="([^"]*\/simulator\/[^"]*)"/.exec(html)?.[1] ?? null,
  };
}

/** The value of a form's hidden field. */
export function fieldIn(html: string, name: string): string | null {
  return new RegExp(`name="${name}" value="([^"]+)"`).exec(html)?.[1] ?? null;
}
