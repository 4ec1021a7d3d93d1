import * as v from 'valibot';
import { fieldError } from '../../../kit/http/field-error.ts';
import { oneOf, wholeNumber } from '../../../kit/http/fields.ts';
import { httpUrlField } from '../../../kit/http/url-fields.ts';
import type { Currency } from '../../../kit/money.ts';
import { majorText } from '../../../kit/money.ts';
import { AMOUNT_MINOR_MAX, HOSTED_TOTAL_MINOR_MIN } from '../../domain/money.ts';
import { type ItemAmounts, itemTotals, matchingBasis } from '../../domain/splits.ts';
import type { IntentKind, ItemPriceBasis } from '../../domain/terms.ts';
import {
  ITEMS_MAX,
  listOrNone,
  moneyField,
  nameField,
  optional,
  optionalUrl,
  QUANTITY_MAX,
  record,
  textField,
} from './fields.ts';
import type { Problems } from './problems.ts';

export const ITEM_TYPES = ['SERVICE', 'DIGITAL_PRODUCT', 'PHYSICAL_PRODUCT'] as const;

const NO_DISCOUNT = fieldError(
  'too_small',
  'Must be greater than 0. For a discount lower a price, or leave out the items and lower amount.',
);

const priceField = v.pipe(
  v.unknown(),
  v.check((price) => typeof price !== 'number' || !(price < 0), NO_DISCOUNT),
  moneyField,
);

const amountEntries = { price: priceField, quantity: wholeNumber(1, QUANTITY_MAX, '') };

function withPriceMinor<Item extends { price: number }>({ price, ...rest }: Item) {
  return { ...rest, priceMinor: price };
}

/** `items`: null and absent are an empty list (docs/decisions.md#6). */
export const itemsField = listOrNone(
  v.pipe(
    record({
      name: nameField,
      description: optional(textField),
      image: optionalUrl(httpUrlField),
      type: oneOf(ITEM_TYPES),
      ...amountEntries,
    }),
    v.transform(withPriceMinor),
  ),
  ITEMS_MAX,
);

/** The fields of `items` that determine the total. Other fields may be invalid. */
export const itemAmountsPart = listOrNone(
  v.pipe(record(amountEntries), v.transform(withPriceMinor)),
  ITEMS_MAX,
);

export interface Total {
  /** Without commission. */
  readonly amountMinor: number;
  readonly itemPriceBasis: ItemPriceBasis;
}

/**
 * The total (docs/decisions.md#4), or null when it is unknown. The problems then contain the
 * reason, from here or from an invalid field (undefined).
 */
export function totalOf(
  kind: IntentKind,
  amountMinor: number | null | undefined,
  items: readonly ItemAmounts[] | undefined,
  problems: Problems,
): Total | null {
  if (amountMinor === undefined || (amountMinor === null && items === undefined)) {
    return null;
  }
  const total =
    amountMinor === null
      ? totalOfItems(items ?? [], problems)
      : totalByAmount(kind, amountMinor, items ?? [], problems);
  if (kind === 'hosted' && total !== null && total.amountMinor < HOSTED_TOTAL_MINOR_MIN) {
    const path = amountMinor === null ? 'items' : 'amount';
    const least = majorText(HOSTED_TOTAL_MINOR_MIN);
    problems.add(path, fieldError('too_small', `The total must be at least ${least}.`));
  }
  return total;
}

/** Checks the operator's limit. The message names it, because the operator can also raise it. */
export function checkLimit(
  total: Total | null,
  amount: number | null | undefined,
  currency: Currency | undefined,
  limits: Readonly<Partial<Record<Currency, number>>>,
  problems: Problems,
): void {
  const limitMinor = currency === undefined ? undefined : limits[currency];
  if (total === null || limitMinor === undefined || total.amountMinor <= limitMinor) {
    return;
  }
  const limit = `at most ${majorText(limitMinor)}: the largest payment in ${currency} that this merchant may create.`;
  const [path, what] = amount === null ? ['items', 'The total must'] : ['amount', 'Must'];
  problems.add(path, fieldError('too_large', `${what} be ${limit}`));
}

function totalOfItems(items: readonly ItemAmounts[], problems: Problems): Total | null {
  if (items.length === 0) {
    problems.add(
      'amount',
      fieldError('required', 'Either amount or a non-empty items list is required.'),
    );
    return null;
  }
  const { unitMinor, lineMinor } = itemTotals(items);
  if (unitMinor === null) {
    const cap = majorText(AMOUNT_MINOR_MAX);
    problems.add(
      'items',
      fieldError('too_large', `The sum of price × quantity must be at most ${cap}.`),
    );
    return null;
  }
  if (lineMinor !== unitMinor) {
    problems.warn(
      'items',
      `add up to ${majorText(unitMinor)} by price × quantity, which is charged, and to ` +
        `${totalText(lineMinor)} by price alone. Send amount too, so that it is the one you mean.`,
    );
  }
  return { amountMinor: unitMinor, itemPriceBasis: 'unit' };
}

/** The total is the amount. Hosted items must add up to it; express items need not. */
function totalByAmount(
  kind: IntentKind,
  amountMinor: number,
  items: readonly ItemAmounts[],
  problems: Problems,
): Total {
  const totals = itemTotals(items);
  const itemPriceBasis = matchingBasis(amountMinor, totals);
  if (kind === 'hosted' && items.length > 0 && itemPriceBasis === null) {
    const [line, unit] = [totalText(totals.lineMinor), totalText(totals.unitMinor)];
    const other = line === unit ? '' : ` or the sum of price × quantity (${unit})`;
    const text = `Must equal the sum of the item prices (${line})${other}.`;
    problems.add('amount', fieldError('mismatch', text));
  }
  return { amountMinor, itemPriceBasis: itemPriceBasis ?? 'unit' };
}

function totalText(totalMinor: number | null): string {
  return totalMinor === null ? `over ${majorText(AMOUNT_MINOR_MAX)}` : majorText(totalMinor);
}
