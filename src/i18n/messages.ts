import type { english } from './en.ts';

/** Why the form came back to the customer. */
export type FormProblem =
  | 'method_missing'
  | 'phone_missing'
  | 'phone_invalid'
  /** A good number, of a network whose numbers have no account with the method. */
  | 'phone_not_taken';

/** A day in some calendar; `month` counts from 1. */
export interface CalendarDate {
  readonly day: number;
  readonly month: number;
  readonly year: number;
}

/** The type of other languages: the same keys and functions, any text. */
export type Widened<T> = T extends string
  ? string
  : T extends (...parameters: infer Parameters) => string
    ? (...parameters: Parameters) => string
    : { readonly [Key in keyof T]: Widened<T[Key]> };

/** Every word a customer reads. A language is an object of this type in `languages/`. */
export type Messages = Widened<typeof english>;
