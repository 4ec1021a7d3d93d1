/** Why the form came back to the customer. */
export type FormProblem =
  | 'method_missing'
  | 'phone_missing'
  | 'phone_invalid'
  /** A valid number of a network whose numbers have no account with the method. */
  | 'phone_not_taken';

/** A day in some calendar; `month` counts from 1. */
export interface CalendarDate {
  readonly day: number;
  readonly month: number;
  readonly year: number;
}
