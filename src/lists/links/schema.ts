import * as v from 'valibot';
import { checkCommon } from '../../engine/api/schema/common.ts';
import type { Validated, ValidationContext } from '../../engine/api/schema/context.ts';
import {
  METHOD_ENTRIES_MAX,
  moneyField,
  nameField,
  optional,
  optionalObject,
  optionalUrl,
  text,
  uniqueIdField,
} from '../../engine/api/schema/fields.ts';
import { ITEM_TYPES } from '../../engine/api/schema/items.ts';
import { METADATA_ENTRIES_MAX, metadataField } from '../../engine/api/schema/metadata.ts';
import { methodField } from '../../engine/api/schema/methods.ts';
import { Problems } from '../../engine/api/schema/problems.ts';
import { splitsField } from '../../engine/api/schema/splits.ts';
import { HOSTED_TOTAL_MINOR_MIN } from '../../engine/domain/money.ts';
import {
  ASKING,
  type Asked,
  type Asking,
  ITEM_QUANTITY_DEFAULT,
  ITEM_QUANTITY_MAX,
  LINK_ITEMS_MAX,
  LINK_TEXT_CHARACTERS_MAX,
  type LinkItem,
  type LinkPrice,
  type LinkSettings,
  NOTE_KEY,
  type PaymentLink,
  SUGGESTIONS_MAX,
  TITLE_CHARACTERS_MAX,
} from '../../engine/links/payment-link.ts';
import { LINK_PAYMENTS_MAX } from '../../engine/links/places.ts';
import { isoTime } from '../../kit/ethiopian-time.ts';
import { type FieldError, fieldError } from '../../kit/http/field-error.ts';
import { booleanField, listOf, oneOf, tooLong, wholeNumber } from '../../kit/http/fields.ts';
import { timeField } from '../../kit/http/list-request.ts';
import { body } from '../../kit/http/strict-body.ts';
import { callbackUrlField, returnUrlField } from '../../kit/http/url-fields.ts';
import { CURRENCIES, type Currency, majorFromMinor, majorText } from '../../kit/money.ts';
import { hasAtMost } from '../../kit/text.ts';

/**
 * A payment link as merchants send it (docs/links.md). Its amounts are in major units, as those of a
 * payment are, and its payments are validated again by the rules of POST …/intent.
 */

const titleField = v.pipe(
  nameField,
  v.check((title) => hasAtMost(title, TITLE_CHARACTERS_MAX), tooLong(TITLE_CHARACTERS_MAX)),
  v.metadata({ maxLength: TITLE_CHARACTERS_MAX }),
);

/** Nearly every link is for birr. */
const CURRENCY_DEFAULT: Currency = 'ETB';

const textOrNone = optional(text(LINK_TEXT_CHARACTERS_MAX));

const itemSchema = body({
  name: titleField,
  description: textOrNone,
  type: oneOf(ITEM_TYPES),
  price: moneyField,
  quantityMax: v.nullish(wholeNumber(1, ITEM_QUANTITY_MAX), ITEM_QUANTITY_DEFAULT),
});

const openAmountSchema = body({
  min: optional(moneyField),
  max: optional(moneyField),
  suggestions: v.nullish(listOf(moneyField, SUGGESTIONS_MAX), () => []),
});

const askForSchema = body({
  name: v.nullish(oneOf(ASKING)),
  phone: v.nullish(oneOf(ASKING)),
  email: v.nullish(oneOf(ASKING)),
  note: v.nullish(oneOf(ASKING)),
});

/** Everything about a link but its id. The place for later fields. */
function settingEntries(context: ValidationContext) {
  return {
    title: titleField,
    description: textOrNone,
    amount: optional(moneyField),
    openAmount: optionalObject(openAmountSchema),
    items: v.nullish(listOf(itemSchema, LINK_ITEMS_MAX), () => []),
    currency: v.nullish(oneOf(CURRENCIES), CURRENCY_DEFAULT),
    methods: v.nullish(listOf(methodField(context), METHOD_ENTRIES_MAX), () => []),
    askFor: optionalObject(askForSchema),
    commissionPaidByCustomer: v.nullish(booleanField, false),
    splitPayment: splitsField(context.banks),
    validUntil: optional(timeField),
    paymentsMax: optional(wholeNumber(1, LINK_PAYMENTS_MAX)),
    paidText: textOrNone,
    returnUrl: optionalUrl(returnUrlField(context.appSchemes)),
    callbackUrl: optionalUrl(callbackUrlField),
    metadata: metadataField(context.environment),
    isActive: v.nullish(booleanField, true),
  };
}

/** The body that creates a link. */
export function newLinkSchema(context: ValidationContext) {
  return body({ paymentLinkUniqueId: optional(uniqueIdField), ...settingEntries(context) });
}

/** The body that changes one, for its description: absent fields stay as they are. */
export function linkChangesSchema(context: ValidationContext) {
  return body({ ...settingEntries(context), title: v.optional(titleField) });
}

/** What the merchant sends, as JSON. */
export type LinkBody = Readonly<Record<string, unknown>>;

export interface NewLink {
  /** Null: Kefel makes one. */
  readonly id: string | null;
  readonly settings: LinkSettings;
}

/** Validates a new link. Reports all errors. */
export function validateLink(
  sent: unknown,
  context: ValidationContext,
  nowMs: number,
): Validated<NewLink> {
  const problems = new Problems();
  const values = problems.check(newLinkSchema(context), sent);
  if (values === undefined) {
    return { ok: false, errors: problems.toErrors(), warnings: problems.warnings };
  }
  const price = priceOf(values, problems);
  if (price !== null) {
    checkPrice(price, values, context, problems);
  }
  checkMetadata(values.metadata, problems);
  if (values.validUntil !== null && values.validUntil <= nowMs) {
    problems.warn('validUntil', 'is in the past: the page takes no payment.');
  }
  if (price === null || problems.found) {
    return { ok: false, errors: problems.toErrors(), warnings: problems.warnings };
  }
  return {
    ok: true,
    value: { id: values.paymentLinkUniqueId, settings: settingsOf(values, price) },
    warnings: [...new Set(problems.warnings)],
  };
}

type Values = v.InferOutput<ReturnType<typeof newLinkSchema>>;

function settingsOf(values: Values, price: LinkPrice): LinkSettings {
  const asked = (name: Asked): Asking => values.askFor?.[name] ?? 'NO';
  return {
    title: values.title,
    description: values.description,
    price,
    currency: values.currency,
    methods: [...new Set(values.methods)],
    askFor: {
      name: asked('name'),
      phone: asked('phone'),
      email: asked('email'),
      note: asked('note'),
    },
    commissionPaidByCustomer: values.commissionPaidByCustomer,
    splits: values.splitPayment,
    validUntilMs: values.validUntil,
    paymentsMax: values.paymentsMax,
    paidText: values.paidText,
    returnUrl: values.returnUrl,
    callbackUrl: values.callbackUrl,
    metadata: values.metadata,
    isActive: values.isActive,
  };
}

/** The one kind of price that a link has. Null with a problem. */
function priceOf({ amount, openAmount, items }: Values, problems: Problems): LinkPrice | null {
  const given = [
    ...(amount === null ? [] : ['amount']),
    ...(openAmount === null ? [] : ['openAmount']),
    ...(items.length === 0 ? [] : ['items']),
  ];
  const [only, second] = given;
  if (only === undefined || second !== undefined) {
    const error = only === undefined ? 'required' : 'mismatch';
    const sentence = 'Send exactly one of amount, openAmount and items.';
    problems.add(second ?? 'amount', fieldError(error, sentence));
    return null;
  }
  if (amount !== null) {
    return { kind: 'fixed', amountMinor: amount };
  }
  if (openAmount !== null) {
    const leastMinor = openAmount.min ?? HOSTED_TOTAL_MINOR_MIN;
    return {
      kind: 'open',
      leastMinor,
      mostMinor: openAmount.max,
      suggestionsMinor: openAmount.suggestions,
    };
  }
  return {
    kind: 'items',
    items: items.map(({ price, ...item }) => ({ ...item, priceMinor: price })),
  };
}

/** A price that no customer could pay is an error now, and not on the page. */
function checkPrice(
  price: LinkPrice,
  values: Values,
  context: ValidationContext,
  problems: Problems,
): void {
  switch (price.kind) {
    case 'fixed':
      tryTotal('amount', price.amountMinor, values, context, problems);
      break;
    case 'open': {
      const { leastMinor, mostMinor, suggestionsMinor } = price;
      tryTotal('openAmount.min', leastMinor, values, context, problems);
      if (mostMinor !== null) {
        tryTotal('openAmount.max', mostMinor, values, context, problems);
        if (mostMinor < leastMinor) {
          problems.add('openAmount.max', tooSmall(leastMinor));
        }
      }
      for (const [index, suggestion] of suggestionsMinor.entries()) {
        const error = suggestionError(suggestion, leastMinor, mostMinor);
        if (error !== null) {
          problems.add(`openAmount.suggestions[${index}]`, error);
        }
      }
      break;
    }
    case 'items':
      for (const [index, item] of price.items.entries()) {
        tryTotal(`items[${index}].price`, leastPayable(item), values, context, problems);
      }
      break;
  }
}

function suggestionError(
  suggestion: number,
  leastMinor: number,
  mostMinor: number | null,
): FieldError | null {
  if (suggestion < leastMinor) {
    return tooSmall(leastMinor);
  }
  return mostMinor !== null && suggestion > mostMinor
    ? fieldError('too_large', `Must be at most ${majorText(mostMinor)}.`)
    : null;
}

function tooSmall(leastMinor: number): FieldError {
  return fieldError('too_small', `Must be at least ${majorText(leastMinor)}.`);
}

/** The smallest total of one item alone that a payment can have, as far as its quantity allows. */
function leastPayable({ priceMinor, quantityMax }: LinkItem): number {
  const needed = Math.max(1, Math.ceil(HOSTED_TOTAL_MINOR_MIN / priceMinor));
  return priceMinor * Math.min(needed, quantityMax);
}

/** The rules of a payment of this total. Its amount is at `path` in the body. */
function tryTotal(
  path: string,
  amountMinor: number,
  values: Values,
  context: ValidationContext,
  problems: Problems,
): void {
  const found = new Problems();
  const { methods, splitPayment, currency, commissionPaidByCustomer, callbackUrl } = values;
  const parts = { currency, splitPayment, commissionPaidByCustomer, callbackUrl };
  const all = context.methods.map(({ method }) => method);
  checkCommon(
    'hosted',
    { ...parts, amount: amountMinor, items: [] },
    methods.length === 0 ? all : methods,
    null,
    context,
    found,
  );
  for (const [field, error] of Object.entries(found.toErrors())) {
    problems.add(field === 'amount' ? path : field, error);
  }
  for (const warning of found.warnings) {
    problems.warnings.push(warning.replace(/^amount /, `${path} `));
  }
}

/** A payment's metadata also takes the customer's note. */
function checkMetadata(metadata: LinkSettings['metadata'], problems: Problems): void {
  if (Object.hasOwn(metadata, NOTE_KEY)) {
    const text = `Must not have the key ${NOTE_KEY}: it is for what the customer writes.`;
    problems.add('metadata', fieldError('invalid_format', text));
  }
  if (Object.keys(metadata).length >= METADATA_ENTRIES_MAX) {
    const text = `Must have at most ${METADATA_ENTRIES_MAX - 1} entries: the customer's note is one more.`;
    problems.add('metadata', fieldError('too_many', text));
  }
}

/** A link's settings as its body has them, for a change of some. */
export function bodyOf(link: LinkSettings) {
  const { price, splits, validUntilMs } = link;
  return {
    title: link.title,
    description: link.description,
    amount: price.kind === 'fixed' ? majorFromMinor(price.amountMinor) : null,
    openAmount:
      price.kind === 'open'
        ? {
            min: majorFromMinor(price.leastMinor),
            max: price.mostMinor === null ? null : majorFromMinor(price.mostMinor),
            suggestions: price.suggestionsMinor.map(majorFromMinor),
          }
        : null,
    items:
      price.kind === 'items'
        ? price.items.map(({ priceMinor, ...item }) => ({
            ...item,
            price: majorFromMinor(priceMinor),
          }))
        : [],
    currency: link.currency,
    methods: link.methods,
    askFor: link.askFor,
    commissionPaidByCustomer: link.commissionPaidByCustomer,
    splitPayment: splits.map(({ bank, creditAccount, type, value }) => ({
      bank,
      creditAccount,
      splitType: type === 'percentage' ? ('PERCENTAGE' as const) : ('NUMBER' as const),
      amount: majorFromMinor(value),
    })),
    validUntil: validUntilMs === null ? null : isoTime(validUntilMs),
    paymentsMax: link.paymentsMax,
    paidText: link.paidText,
    returnUrl: link.returnUrl,
    callbackUrl: link.callbackUrl,
    metadata: link.metadata,
    isActive: link.isActive,
  };
}

export type PaymentLinkContent = ReturnType<typeof linkContent>;

/** The link in answers: as it is sent, with what Kefel adds. */
export function linkContent(link: PaymentLink, url: string) {
  return {
    paymentLinkUniqueId: link.id,
    url,
    ...bodyOf(link),
    /** The paid payments that count; null without a maximum. */
    paymentsCount: link.paymentsMax === null ? null : (link.places?.committed ?? 0),
    createdAt: isoTime(link.createdAtMs),
    updatedAt: isoTime(link.updatedAtMs),
  };
}
