import { phoneFrom } from '../../engine/domain/phone.ts';

/**
 * Some shop plugins make a new id for each try to pay an order: `1042_1`, `1042_2`. Two such ids may
 * name one order. Numbers of orders, dates, seats and a customer's own phone number must not match.
 */

/** Between the order and the counter. */
const SIGNS = '_-.:/#~ ';

/** A digit, signs and perhaps a word for a try, and at most two digits at the end. */
const COUNTED = /^(.*\d)([-_.:/#~ ]{1,3}(?:(?:try|retry|attempt)[-_.:/#~ ]{0,3})?)(\d\d?)$/i;

/**
 * A text that ends with a date or a part of one: a number behind it counts days, bills or months. Years
 * are from 2010 to 2049, which includes the Ethiopian ones of that time, or have two digits.
 */
const DATE_END =
  /(?<!\d)(?:20[1-4]\d(?:[-_./: ]\d\d?){0,2}|20[1-4]\d(?:0[1-9]|1[0-3])(?:[0-3]\d)?|\d\d?[-_./: ]\d\d?[-_./: ](?:20)?\d\d|[0-3]\d(?:0[1-9]|1[0-3])20[1-4]\d|[1-4]\d(?:0[1-9]|1[0-3])[0-3]\d)$/;

/** A shorter number with `-` may be a seat (`bus12-3`) or an order of a branch (`A1-41`). */
const ORDER_DIGITS_MIN = 3;

interface CountedId {
  /** The id without its counter. */
  readonly order: string;
  readonly between: string;
  readonly counter: number;
}

function countedId(id: string): CountedId | null {
  const [, order, between, digits] = COUNTED.exec(id) ?? [];
  return order !== undefined && between !== undefined && isOrder(order, between)
    ? { order, between, counter: Number(digits) }
    : null;
}

/** Whether a text ends with the number of an order, and what follows may be a counter. */
function isOrder(text: string, between: string): boolean {
  const [number] = /\d+$/.exec(text) ?? [];
  return (
    number !== undefined &&
    (number.length >= ORDER_DIGITS_MIN || /[_a-z]/i.test(between)) &&
    phoneFrom(number) === null &&
    !DATE_END.test(text)
  );
}

/** Whether two ids may name one order: they differ only in the counter, or one of them has none. */
export function mayBeSameOrder(one: string, other: string): boolean {
  const [first, second] = [countedId(one), countedId(other)];
  return first === null || second === null
    ? first !== second && (first?.order ?? one) === (second?.order ?? other)
    : first.order + first.between === second.order + second.between &&
        first.counter !== second.counter;
}

/** Where to look for ids that may name the same order. */
export interface OtherTries {
  readonly ids: readonly string[];
  readonly beginnings: readonly string[];
}

/** Null for an id that can have none. */
export function otherTriesOf(id: string): OtherTries | null {
  const counted = countedId(id);
  if (counted !== null) {
    return { ids: [counted.order], beginnings: [counted.order + counted.between] };
  }
  return isOrder(id, '_') ? { ids: [], beginnings: [...SIGNS].map((sign) => id + sign) } : null;
}
