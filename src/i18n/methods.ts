import type { Method } from '../domain/method.ts';

/** What is the same in every language. */

/** Providers write their names alike in every language. */
export const METHOD_NAMES: Readonly<Record<Method, string>> = {
  TELE_BIRR: 'telebirr',
  TELE_BIRR_USSD: 'telebirr USSD',
  CBE: 'CBE Birr',
  ETS_SWITCH: 'EthSwitch',
  M_PESA: 'M-PESA',
  E_BIRR: 'eBirr',
};

/** On the tile of a method for which the operator has set no logo. */
export const METHOD_INITIALS: Readonly<Record<Method, string>> = {
  TELE_BIRR: 't',
  TELE_BIRR_USSD: '*#',
  CBE: 'C',
  ETS_SWITCH: 'ES',
  M_PESA: 'M',
  E_BIRR: 'eB',
};
