import {
  ASKED,
  ITEM_QUANTITY_DEFAULT,
  type LinkSettings,
} from '../../../src/engine/links/payment-link.ts';
import { businessDay, dayText } from '../../../src/kit/ethiopian-time.ts';
import type { FieldErrors } from '../../../src/kit/http/field-error.ts';
import type { Form } from '../../../src/kit/http/form.ts';
import { majorFromMinor, majorText } from '../../../src/kit/money.ts';
import { amountMinorFrom } from '../../../src/kit/typed-amount.ts';
import type { LinkBody } from '../../../src/lists/links/schema.ts';
import type { DashboardMessages } from '../../i18n/messages.ts';
import type { Problems } from '../../ui/fields.tsx';

/** The form of a payment link: its fields as texts, what they mean, and where an error belongs. */

export type TypedLink = Readonly<Record<string, string>> & { readonly methods?: string };

/** Items of a new link that the form has room for, and the free places of one that has more. */
const ITEM_PLACES = 4;

/** The places of items in a form. */
export function itemPlaces(typed: TypedLink): readonly number[] {
  const last = Object.keys(typed).reduce((most, name) => {
    const index = /^item-(\d+)-name$/.exec(name)?.[1];
    return index === undefined || typed[name] === '' ? most : Math.max(most, Number(index) + 1);
  }, 0);
  return Array.from({ length: Math.min(Math.max(ITEM_PLACES, last + 2), 20) }, (_, index) => index);
}

export function itemField(index: number, part: 'name' | 'price' | 'most' | 'type'): string {
  return `item-${index}-${part}`;
}

/** A link as its form shows it; of no link, the form of a new one. */
export function typedOf(link: LinkSettings | null): TypedLink {
  const { price } = link ?? {};
  const open = price?.kind === 'open' ? price : null;
  const items = price?.kind === 'items' ? price.items : [];
  return {
    title: link?.title ?? '',
    description: link?.description ?? '',
    kind: price?.kind ?? 'fixed',
    amount: price?.kind === 'fixed' ? shortText(price.amountMinor) : '',
    min: open === null ? '' : shortText(open.leastMinor),
    max: open?.mostMinor == null ? '' : shortText(open.mostMinor),
    suggestions: open?.suggestionsMinor.map(shortText).join(', ') ?? '',
    currency: link?.currency ?? 'ETB',
    commission: link?.commissionPaidByCustomer ? 'customer' : 'merchant',
    validUntil: link?.validUntilMs == null ? '' : dayText(businessDay(link.validUntilMs)),
    paymentsMax: String(link?.paymentsMax ?? ''),
    paidText: link?.paidText ?? '',
    returnUrl: link?.returnUrl ?? '',
    methods: link?.methods.join() ?? '',
    ...Object.fromEntries(ASKED.map((name) => [`ask-${name}`, link?.askFor[name] ?? 'NO'])),
    ...Object.fromEntries(
      items.flatMap((item, index) => [
        [itemField(index, 'name'), item.name],
        [itemField(index, 'price'), shortText(item.priceMinor)],
        [itemField(index, 'most'), String(item.quantityMax)],
        [itemField(index, 'type'), item.type],
      ]),
    ),
  };
}

function shortText(amountMinor: number): string {
  return majorText(amountMinor).replace(/\.00$/, '');
}

/** What was posted. */
export function typedIn(form: Form): TypedLink {
  const names = Object.keys(typedOf(null));
  const items = Array.from({ length: 20 }, (_, index) =>
    (['name', 'price', 'most', 'type'] as const).map((part) => itemField(index, part)),
  ).flat();
  const entries = [...names, ...items].map((name) => [name, form.text(name)] as const);
  return { ...Object.fromEntries(entries), methods: form.all('method').join() };
}

/** The body of the API that the form means. Texts that are no amounts stay texts, which it refuses. */
export function bodyOf(typed: TypedLink): LinkBody {
  const text = (name: string) => typed[name] ?? '';
  const amount = (name: string) => amountFrom(text(name));
  const kind = text('kind');
  return {
    title: text('title'),
    description: text('description'),
    amount: kind === 'fixed' ? amount('amount') : null,
    openAmount:
      kind === 'open'
        ? {
            min: amount('min'),
            max: amount('max'),
            suggestions: text('suggestions')
              .split(/[,፣;]\s*/u)
              .filter((part) => part.trim() !== '')
              .map((part) => amountFrom(part.trim())),
          }
        : null,
    items: kind === 'items' ? itemsIn(typed) : [],
    currency: text('currency') || 'ETB',
    methods: text('methods').split(',').filter(Boolean),
    askFor: Object.fromEntries(ASKED.map((name) => [name, text(`ask-${name}`) || 'NO'])),
    commissionPaidByCustomer: text('commission') === 'customer',
    // The end of the day in Addis Ababa.
    validUntil: text('validUntil') === '' ? null : `${text('validUntil')}T23:59:59+03:00`,
    paymentsMax: numberFrom(text('paymentsMax')),
    paidText: text('paidText'),
    returnUrl: text('returnUrl') === '' ? null : text('returnUrl'),
  };
}

/** A text that is no whole number stays a text, which the API refuses. */
function numberFrom(text: string): number | string | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : text || null;
}

/** Rows with a name or a price, in their order. */
function filledPlaces(typed: TypedLink): readonly number[] {
  return Array.from({ length: 20 }, (_, index) => index).filter(
    (index) =>
      (typed[itemField(index, 'name')] ?? '') + (typed[itemField(index, 'price')] ?? '') !== '',
  );
}

function itemsIn(typed: TypedLink) {
  return filledPlaces(typed).map((index) => {
    const most = typed[itemField(index, 'most')] ?? '';
    return {
      name: typed[itemField(index, 'name')] ?? '',
      price: amountFrom(typed[itemField(index, 'price')] ?? ''),
      quantityMax: /^\d{1,9}$/.test(most) ? Number(most) : ITEM_QUANTITY_DEFAULT,
      type: typed[itemField(index, 'type')] || 'PHYSICAL_PRODUCT',
    };
  });
}

function amountFrom(text: string): number | string | null {
  const minor = amountMinorFrom(text);
  return minor === null ? text || null : majorFromMinor(minor);
}

/** The errors of the body at the fields of the form. */
export function problemsOf(
  text: DashboardMessages['links'],
  typed: TypedLink,
  errors: FieldErrors,
): Problems {
  return Object.entries(errors).map(([path, error]) => {
    const field = fieldOf(path, typed);
    return [field, problemText(text, field, error.split(':')[0] ?? '')] as const;
  });
}

function fieldOf(path: string, typed: TypedLink): string | null {
  const [, place, part] = /^items\[(\d+)\]\.(\w+)$/.exec(path) ?? [];
  if (place !== undefined) {
    const index = filledPlaces(typed)[Number(place)] ?? 0;
    const parts = { name: 'name', price: 'price', quantityMax: 'most' } as const;
    return itemField(index, parts[part as keyof typeof parts] ?? 'name');
  }
  const [root = ''] = path.split(/[.[]/);
  switch (root) {
    case 'openAmount':
      return path.includes('suggestions') ? 'suggestions' : path.endsWith('max') ? 'max' : 'min';
    case 'items':
      return itemField(0, 'name');
    case 'amount':
      return typed.kind === 'items' ? itemField(0, 'name') : 'amount';
    case 'title':
    case 'description':
    case 'validUntil':
    case 'paymentsMax':
    case 'paidText':
    case 'returnUrl':
      return root;
    default:
      return null;
  }
}

const AMOUNTS = /^(?:amount|min|max|suggestions|item-\d+-price)$/;

function problemText(text: DashboardMessages['links'], field: string | null, code: string): string {
  const { problems } = text;
  switch (code) {
    case 'required':
    case 'empty':
      return problems.missing;
    case 'too_small':
    case 'too_large':
    case 'too_long':
    case 'too_many':
      return problems[code];
  }
  if (field !== null && AMOUNTS.test(field)) {
    return problems.amount;
  }
  return field === 'validUntil'
    ? problems.date
    : field === 'returnUrl'
      ? problems.url
      : problems.other;
}
