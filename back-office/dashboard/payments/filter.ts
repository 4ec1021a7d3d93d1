import type { IntentStatus } from '../../../src/engine/domain/intent.ts';
import { METHODS } from '../../../src/engine/domain/method.ts';
import { CURRENCIES } from '../../../src/kit/money.ts';
import { amountMinorFrom } from '../../../src/kit/typed-amount.ts';
import type { PaymentFilter } from '../../../src/lists/book/rows.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import type { DashboardCall } from '../call.ts';
import { dayField, dayFrom, rangeOf } from '../days.ts';
import type { Choices } from '../list.tsx';
import { queryFrom } from '../paths.ts';

/** The statuses in the order of the tabs. */
export const STATUSES = [
  'succeeded',
  'processing',
  'open',
  'failed',
  'expired',
  'canceled',
] as const satisfies readonly IntentStatus[];

export type FilterProblem =
  | 'unknown_choice'
  | 'bad_date'
  | 'dates_reversed'
  | 'bad_amount'
  | 'amounts_reversed';

type Call = Pick<DashboardCall, 'language'>;

interface Filter {
  /** The part of the list's filter that a text asks for. */
  readonly read: (text: string) => PaymentFilter | FilterProblem;
  readonly input: 'day' | 'amount' | ((call: Call) => Choices);
}

/** The problem of a text that `parse` rejects. */
function filter<Value>(
  parse: (text: string) => Value | null,
  problem: FilterProblem,
  input: Filter['input'],
  filterOf: (value: Value) => PaymentFilter,
): Filter {
  const read = (text: string) => {
    const value = parse(text);
    return value === null ? problem : filterOf(value);
  };
  return { read, input };
}

function choice<const Choice extends string>(
  choices: readonly Choice[],
  textOf: (call: Call, choice: Choice) => string,
  filterOf: (choice: Choice) => PaymentFilter,
): Filter {
  const parse = (text: string) => choices.find((one) => one === text) ?? null;
  const input = (call: Call) => choices.map((one) => [one, textOf(call, one)] as const);
  return filter(parse, 'unknown_choice', input, filterOf);
}

/**
 * Every filter, by its parameter in the query, which is also its field in the form. Whether the
 * totals know it is a line of KNOWN_TO_TOTALS.
 */
const FILTERS = {
  status: choice(
    STATUSES,
    ({ language }, status) => DASHBOARD_TEXTS[language].statuses[status],
    (status) => ({ status }),
  ),
  method: choice(
    METHODS,
    ({ language }, method) => CHECKOUT_TEXTS[language].methodName[method],
    (method) => ({ method }),
  ),
  currency: choice(
    CURRENCIES,
    (_call, currency) => currency,
    (currency) => ({ currency }),
  ),
  refunds: choice(
    ['any', 'open'],
    ({ language }, refunds) => DASHBOARD_TEXTS[language].payments.refundChoice[refunds],
    (refunds) => ({ refunds }),
  ),
  since: filter(dayFrom, 'bad_date', 'day', (day) => ({
    createdFromMs: rangeOf(day, null).fromMs,
  })),
  until: filter(dayFrom, 'bad_date', 'day', (day) => ({ createdToMs: rangeOf(null, day).toMs })),
  min: filter(amountMinorFrom, 'bad_amount', 'amount', (minor) => ({ amountMinorMin: minor })),
  max: filter(amountMinorFrom, 'bad_amount', 'amount', (minor) => ({ amountMinorMax: minor })),
} as const satisfies Readonly<Record<string, Filter>>;

export type FilterName = keyof typeof FILTERS;

export const FILTER_NAMES = Object.keys(FILTERS) as readonly FilterName[];

/** The fields of the form: all but the status, which has tabs. */
export const FORM_NAMES = FILTER_NAMES.filter((name) => name !== 'status');

/** How a filter is chosen. */
export function inputOf(name: FilterName): Filter['input'] {
  return FILTERS[name].input;
}

/** The form as it was sent, its problems, and the filter that it asks for. */
export interface PaymentFilterForm {
  readonly values: Readonly<Record<FilterName, string>>;
  readonly problems: Readonly<Partial<Record<FilterName, FilterProblem>>>;
  /** Meaningless while there are problems. */
  readonly filter: PaymentFilter;
}

/** Reads the filters of a list's address. Days are those of Addis Ababa, amounts in major units. */
export function readFilter(query: URLSearchParams): PaymentFilterForm {
  const textOf = (name: string) => query.get(name)?.trim() ?? '';
  const values: Partial<Record<FilterName, string>> = {};
  const problems: Partial<Record<FilterName, FilterProblem>> = {};
  let wanted: PaymentFilter = {};
  for (const name of FILTER_NAMES) {
    const text = inputOf(name) === 'day' ? dayField(textOf, name) : textOf(name);
    const read = text === '' ? {} : FILTERS[name].read(text);
    values[name] = text;
    if (typeof read === 'string') {
      problems[name] = read;
    } else {
      wanted = { ...wanted, ...read };
    }
  }
  const { createdFromMs = 0, createdToMs = Infinity } = wanted;
  const { amountMinorMin = 0, amountMinorMax = Infinity } = wanted;
  if (createdFromMs >= createdToMs) {
    problems.until = 'dates_reversed';
  }
  if (amountMinorMin > amountMinorMax) {
    problems.max = 'amounts_reversed';
  }
  return { values: values as Record<FilterName, string>, problems, filter: wanted };
}

export function hasProblems({ problems }: PaymentFilterForm): boolean {
  return Object.keys(problems).length > 0;
}

/** Whether anything but the tab of a status restricts the list. */
export function isRestricted({ values }: PaymentFilterForm): boolean {
  return FORM_NAMES.some((name) => values[name] !== '');
}

/** The filters as a query, for links that keep them. */
export function queryOf(
  { values }: PaymentFilterForm,
  more: Readonly<Partial<Record<FilterName | 'cursor', string>>> = {},
) {
  return queryFrom({ ...values, ...more });
}
