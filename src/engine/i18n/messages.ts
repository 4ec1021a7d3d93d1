import type * as english from './en.ts';

/** The type of the other languages: the same keys and functions, any text. */
export type Translated<T> = T extends string
  ? string
  : T extends (...parameters: infer Parameters) => string
    ? (...parameters: Parameters) => string
    : { readonly [Key in keyof T]: Translated<T[Key]> };

/** Every text a customer reads. */
export type CheckoutMessages = Translated<typeof english.checkout>;

/** Why a form came back to the customer. */
export type FormProblem = keyof CheckoutMessages['problem'];
