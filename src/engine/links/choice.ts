import { sha256Hex } from '../../kit/crypto/encoding.ts';
import type { Form } from '../../kit/http/form.ts';
import { hasAtMost, isIntact } from '../../kit/text.ts';
import { amountMinorWritten } from '../../kit/typed-amount.ts';
import { phoneFrom } from '../domain/phone.ts';
import { ASKED, type Asked, type LinkPrice, type PaymentLink } from './payment-link.ts';

/** What a customer chose and typed on a link's page. The payment's own rules come after these. */

/** A note fits a line of a list, and the value of metadata. */
export const NOTE_CHARACTERS_MAX = 200;
const NAME_CHARACTERS_MAX = 100;
/** RFC 5321. */
const EMAIL_CHARACTERS_MAX = 254;
/** Longer than any amount or number that is meant. Bounds what the form's page keeps. */
const SHORT_CHARACTERS_MAX = 40;

export const TYPED_MAX: Readonly<Record<Asked | 'amount' | 'quantity', number>> = {
  name: NAME_CHARACTERS_MAX,
  phone: SHORT_CHARACTERS_MAX,
  email: EMAIL_CHARACTERS_MAX,
  note: NOTE_CHARACTERS_MAX,
  amount: SHORT_CHARACTERS_MAX,
  quantity: SHORT_CHARACTERS_MAX,
};

/** The choice of an amount of one's own, among the suggested ones. */
export const OTHER_AMOUNT = 'other';

export interface Choice {
  /** Null: the items make it. */
  readonly amountMinor: number | null;
  /** Of each item of the link, in its order. */
  readonly quantities: readonly number[];
  /** What was asked for; null: nothing was typed. The phone as 251XXXXXXXXX. */
  readonly answers: Readonly<Record<Asked, string | null>>;
}

/** Why a field came back. `limitMinor`: of an amount; `limit`: of a quantity or a length. */
export type FieldProblem =
  | { readonly kind: 'missing' | 'invalid' | 'nothing_chosen' | 'both' }
  | { readonly kind: 'too_small' | 'too_large'; readonly limitMinor: number | null }
  | { readonly kind: 'too_many' | 'too_long'; readonly limit: number };

/** `amount`, `items`, `quantity-0` or what was asked for. */
export type FieldProblems = Readonly<Record<string, FieldProblem>>;

export type ChoiceResult =
  | { readonly type: 'chosen'; readonly choice: Choice }
  | { readonly type: 'refused'; readonly problems: FieldProblems };

type Typed = Pick<Form, 'text'>;

export function quantityField(index: number): string {
  return `quantity-${index}`;
}

/** The names of a link's fields, which the page shows again after an error. */
export function fieldsOf({ price, askFor }: PaymentLink): readonly string[] {
  const asked = ASKED.filter((name) => askFor[name] !== 'NO');
  switch (price.kind) {
    case 'fixed':
      return asked;
    case 'open':
      return ['suggestion', 'amount', ...asked];
    case 'items':
      return [...price.items.map((_item, index) => quantityField(index)), ...asked];
  }
}

export function readChoice(link: PaymentLink, form: Typed): ChoiceResult {
  const problems: Record<string, FieldProblem> = {};
  const { price } = link;
  const amountMinor = price.kind === 'items' ? null : readAmount(price, form, problems);
  const quantities = price.kind === 'items' ? readQuantities(price, form, problems) : [];
  const answers = readAnswers(link, form, problems);
  return Object.keys(problems).length > 0
    ? { type: 'refused', problems }
    : { type: 'chosen', choice: { amountMinor, quantities, answers } };
}

type Problems = Record<string, FieldProblem>;

function readAmount(
  price: Exclude<LinkPrice, { kind: 'items' }>,
  form: Typed,
  problems: Problems,
): number | null {
  if (price.kind === 'fixed') {
    return price.amountMinor;
  }
  const { leastMinor, mostMinor, suggestionsMinor } = price;
  const typed = form.text('amount');
  const suggested = suggestionsMinor.find((minor) => String(minor) === form.text('suggestion'));
  if (suggested !== undefined) {
    // Which of the two was meant is for the customer to say.
    if (typed !== '' && amountMinorWritten(typed) !== suggested) {
      problems.amount = { kind: 'both' };
    }
    return suggested;
  }
  const amountMinor = amountMinorWritten(typed);
  if (amountMinor === null) {
    problems.amount = { kind: typed === '' ? 'missing' : 'invalid' };
  } else if (amountMinor < leastMinor) {
    problems.amount = { kind: 'too_small', limitMinor: leastMinor };
  } else if (mostMinor !== null && amountMinor > mostMinor) {
    problems.amount = { kind: 'too_large', limitMinor: mostMinor };
  }
  return amountMinor;
}

function readQuantities(
  { items }: Extract<LinkPrice, { kind: 'items' }>,
  form: Typed,
  problems: Problems,
): readonly number[] {
  const quantities = items.map(({ quantityMax }, index) => {
    const field = quantityField(index);
    const typed = form.text(field);
    const quantity = typed === '' ? 0 : Number(typed);
    if (!/^\d{0,9}$/.test(typed)) {
      problems[field] = { kind: 'invalid' };
    } else if (quantity > quantityMax) {
      problems[field] = { kind: 'too_many', limit: quantityMax };
    }
    return quantity;
  });
  if (quantities.every((quantity) => quantity === 0) && Object.keys(problems).length === 0) {
    problems.items = { kind: 'nothing_chosen' };
  }
  return quantities;
}

/** One with an @ and something around it: only a message proves more. */
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/u;

function readAnswers(
  { askFor }: PaymentLink,
  form: Typed,
  problems: Problems,
): Readonly<Record<Asked, string | null>> {
  const read = (name: Asked): string | null => {
    const typed = askFor[name] === 'NO' ? '' : form.text(name);
    if (typed === '') {
      if (askFor[name] === 'REQUIRED') {
        problems[name] = { kind: 'missing' };
      }
      return null;
    }
    const value = name === 'phone' ? phoneFrom(typed) : typed;
    if (!hasAtMost(typed, TYPED_MAX[name])) {
      problems[name] = { kind: 'too_long', limit: TYPED_MAX[name] };
    } else if (value === null || !isIntact(value) || (name === 'email' && !EMAIL.test(typed))) {
      problems[name] = { kind: 'invalid' };
    }
    return value;
  };
  return { name: read('name'), phone: read('phone'), email: read('email'), note: read('note') };
}

/** Equal for equal choices, so that a form that is sent twice finds its payment. */
export function digestOf(choice: Choice): Promise<string> {
  const { amountMinor, quantities, answers } = choice;
  return sha256Hex(JSON.stringify([amountMinor, quantities, ASKED.map((name) => answers[name])]));
}
