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

/** Methods whose express payments need the customer's phone number (docs/decisions.md#3). */
export const METHODS_NEEDING_PHONE: readonly Method[] = [
  'M_PESA',
  'TELE_BIRR_USSD',
  'E_BIRR',
  'CBE',
];

/** Methods whose customer confirms a prompt on the phone. The others use the provider's page. */
export const METHODS_BY_PROMPT: readonly Method[] = ['TELE_BIRR_USSD', 'M_PESA', 'E_BIRR'];

/** Methods whose provider may report all payments to one address, by our reference alone. */
export const METHODS_WITH_SHARED_ADDRESS: readonly Method[] = ['CBE', 'ETS_SWITCH'];

/** What the numbers of a method's accounts begin with, where it serves one network only. */
export const PHONE_STARTS: Readonly<Partial<Record<Method, '7' | '9'>>> = { M_PESA: '7' };

/** Methods that redirect the customer to the provider's page and back (docs/decisions.md#2). */
export const METHODS_NEEDING_RETURN_URL: readonly Method[] = ['TELE_BIRR', 'ETS_SWITCH'];

export const CURRENCIES = ['ETB', 'USD'] as const;
export type Currency = (typeof CURRENCIES)[number];

export const ENVIRONMENTS = ['sandbox', 'production'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];
