/** What differs between the payment methods, for every adapter of a method's provider. */
export interface Traits {
  /** Where the customer confirms: on the provider's page, or by a prompt on the phone. */
  readonly confirmsOn: 'page' | 'phone';
  /** Express payments need the customer's phone number (docs/decisions.md#3). */
  readonly needsPhone: boolean;
  /** The provider's page redirects the customer back to the merchant (docs/decisions.md#2). */
  readonly needsReturnUrl: boolean;
  /** What the numbers of its accounts begin with, where it serves one network only. */
  readonly phoneStart?: '7' | '9';
  /** The method by whose name customers know the account, if not by this one's. */
  readonly account?: Method;
}

const BY_PAGE = { confirmsOn: 'page', needsPhone: false } as const;
const BY_PROMPT = {
  confirmsOn: 'phone',
  needsPhone: true,
  needsReturnUrl: false,
} as const;

/** The payment methods of the published interface (docs/api.md#express-payment). */
export const METHODS = [
  'TELE_BIRR',
  'TELE_BIRR_USSD',
  'CBE',
  'ETS_SWITCH',
  'M_PESA',
  'E_BIRR',
] as const;
export type Method = (typeof METHODS)[number];

export const TRAITS: Readonly<Record<Method, Traits>> = {
  TELE_BIRR: { ...BY_PAGE, needsReturnUrl: true },
  TELE_BIRR_USSD: { ...BY_PROMPT, account: 'TELE_BIRR' },
  // CBE's page does not redirect the customer back.
  CBE: { confirmsOn: 'page', needsPhone: true, needsReturnUrl: false },
  ETS_SWITCH: { ...BY_PAGE, needsReturnUrl: true },
  M_PESA: { ...BY_PROMPT, phoneStart: '7' },
  E_BIRR: BY_PROMPT,
};
