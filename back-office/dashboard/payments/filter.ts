import type { IntentStatus } from '../../../src/domain/intent.ts';
import { CURRENCIES, METHODS } from '../../../src/domain/method.ts';
import type { PaymentFilter } from '../../../src/read-model/payments-list.ts';
import { amountMinorFrom } from '../../elements/typed-amount.ts';
import { dayField, dayFrom, rangeOf } from '../days.ts';
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

/** The choices of the filter on refunds. */
export const REFUND_CHOICES = ['any', 'open'] as const;

/** The query's parameters, which are the form's fields. */
export const FILTER_FIELDS = [
  'status',
  'method',
  'currency',
  'refunds',
  'since',
  'until',
  'min',
  'max',
] as const;
export type FilterField = (typeof FILTER_FIELDS)[number];

export type FilterProblem =
  | 'unknown_choice'
  | 'bad_date'
  | 'dates_reversed'
  | 'bad_amount'
  | 'amounts_reversed';

/** The form as it was sent, its problems, and the filter that it asks for. */
export interface FilterForm {
  readonly values: Readonly<Record<FilterField, string>>;
  readonly problems: Readonly<Partial<Record<FilterField, FilterProblem>>>;
  /** Meaningless while there are problems. */
  readonly filter: PaymentFilter;
}

/** Reads the filters of a list's address. Days are those of Addis Ababa, amounts in major units. */
export function readFilter(query: URLSearchParams): FilterForm {
  const textOf = (name: string) => query.get(name)?.trim() ?? '';
  const values = Object.fromEntries(
    FILTER_FIELDS.map((field) => [
      field,
      field === 'since' || field === 'until' ? dayField(textOf, field) : textOf(field),
    ]),
  ) as Record<FilterField, string>;
  const problems: Partial<Record<FilterField, FilterProblem>> = {};
  const read = <Value>(
    field: FilterField,
    parse: (text: string) => Value | null,
    problem: FilterProblem,
  ): Value | null => {
    const value = values[field] === '' ? null : parse(values[field]);
    if (values[field] !== '' && value === null) {
      problems[field] = problem;
    }
    return value;
  };
  const status = read('status', oneOf(STATUSES), 'unknown_choice');
  const method = read('method', oneOf(METHODS), 'unknown_choice');
  const currency = read('currency', oneOf(CURRENCIES), 'unknown_choice');
  const refunds = read('refunds', oneOf(REFUND_CHOICES), 'unknown_choice');
  const fromDay = read('since', dayFrom, 'bad_date');
  const toDay = read('until', dayFrom, 'bad_date');
  const amountMinorMin = read('min', amountMinorFrom, 'bad_amount');
  const amountMinorMax = read('max', amountMinorFrom, 'bad_amount');
  if (fromDay !== null && toDay !== null && fromDay > toDay) {
    problems.until = 'dates_reversed';
  }
  if (amountMinorMin !== null && amountMinorMax !== null && amountMinorMin > amountMinorMax) {
    problems.max = 'amounts_reversed';
  }
  const { fromMs, toMs } = rangeOf(fromDay, toDay);
  return {
    values,
    problems,
    filter: {
      status: status ?? undefined,
      method: method ?? undefined,
      currency: currency ?? undefined,
      refunds: refunds ?? undefined,
      createdFromMs: fromMs,
      createdToMs: toMs,
      amountMinorMin: amountMinorMin ?? undefined,
      amountMinorMax: amountMinorMax ?? undefined,
    },
  };
}

export function hasProblems({ problems }: FilterForm): boolean {
  return Object.keys(problems).length > 0;
}

/** Whether anything but the tab of a status restricts the list. */
export function isRestricted({ values }: FilterForm): boolean {
  return FILTER_FIELDS.some((field) => field !== 'status' && values[field] !== '');
}

/** The filters as a query, for links that keep them. */
export function queryOf(
  { values }: FilterForm,
  more: Readonly<Partial<Record<FilterField | 'cursor', string>>> = {},
) {
  return queryFrom({ ...values, ...more });
}

function oneOf<const Choice extends string>(choices: readonly Choice[]) {
  return (text: string): Choice | null => choices.find((choice) => choice === text) ?? null;
}
