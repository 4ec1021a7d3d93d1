import { type Method, TRAITS } from '../../domain/method.ts';

/** What a customer does, drawn: for methods whose logo the operator has not set. */

/** A phone with a tick. */
const APP =
  'M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM11 18.3h2M9.7 10.5l1.8 1.8 3-3.3';
/** A message with a PIN. */
const PROMPT = 'M4 5h16v11h-9l-4 4v-4H4zM8.4 10.5h.2M11.9 10.5h.2M15.4 10.5h.2';
const CARD =
  'M4 6h16a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1zM3 10h18M6.5 14.5h4';
const BANK = 'M4 9.5l8-5.5 8 5.5zM6.5 10v7M10.2 10v7M13.8 10v7M17.5 10v7M4 20h16';

const OF_METHOD: Readonly<Partial<Record<Method, string>>> = { TELE_BIRR: APP, CBE: BANK };

/** The path of a method's pictogram: its own, or else that of where its customers confirm. */
export function pictogramOf(method: Method): string {
  return OF_METHOD[method] ?? (TRAITS[method].confirmsOn === 'phone' ? PROMPT : CARD);
}
