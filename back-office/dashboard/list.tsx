import type { ComponentChildren } from 'preact';
import { type Cursor, type Page, parseCursor } from '../../src/platform/paging.ts';
import { DASHBOARD_TEXTS } from '../i18n/texts.ts';
import { Field, Message, Pager, ProblemList, SelectField, Table } from '../ui/elements.tsx';
import type { DashboardCall } from './call.ts';
import { DateField } from './date-fields.tsx';
import type { DaysForm } from './days.ts';

/** What all lists share: the page that the address asks for, filters, rows and links to more. */

/** A screen or two on a desktop. */
export const PAGE_ROWS = 25;

/** The page that the address asks for. */
export interface ListRequest {
  /** Null: the first page. */
  readonly cursor: Cursor | null;
  /** As the address has it. */
  readonly typedCursor: string;
  readonly status: 200 | 400;
}

/** An unreadable cursor asks for the first page, which says so. */
export function listRequest({ url }: DashboardCall): ListRequest {
  const typedCursor = url.searchParams.get('cursor') ?? '';
  const cursor = parseCursor(typedCursor);
  return { cursor, typedCursor, status: typedCursor !== '' && cursor === null ? 400 : 200 };
}

export function BadCursor(props: { readonly call: DashboardCall; readonly request: ListRequest }) {
  const { call, request } = props;
  const text = DASHBOARD_TEXTS[call.language].payments;
  return request.status === 200 ? null : <Message tone="bad">{text.badCursor}</Message>;
}

/** The rows of a page, and links to the pages beside it. */
export function List<Row>(props: {
  readonly call: DashboardCall;
  readonly title: string;
  /** The titles of the columns. */
  readonly columns: readonly string[];
  /** What the columns show of a row. */
  readonly cells: (row: Row) => readonly ComponentChildren[];
  readonly page: Page<Row>;
  readonly empty: string;
  /** The URL of the page at a cursor; absent for a list of one page. */
  readonly pathTo?: (cursor: string) => string;
}) {
  const { call, title, columns, cells, page, empty, pathTo } = props;
  return (
    <>
      <Table caption={title} columns={columns} rows={page.rows.map(cells)} empty={empty} />
      {pathTo && <Pager call={call} page={page} pathTo={pathTo} />}
    </>
  );
}

export type Choices = readonly (readonly [value: string, text: string])[];

/** A field of a filter form. */
export interface FilterField {
  readonly name: string;
  readonly label: string;
  /** As it was sent. */
  readonly value: string;
  readonly error?: string | null;
  readonly input: 'day' | 'amount' | Choices;
}

interface DaysProps {
  readonly call: DashboardCall;
  readonly days: DaysForm;
  /** The names of the two fields in the query. */
  readonly names: readonly [from: string, to: string];
}

/** The two day fields of a form, each with what is wrong with it. */
export function daysFields(
  { call, days, names }: DaysProps,
  labels: { readonly from: string; readonly to: string },
): readonly FilterField[] {
  const text = DASHBOARD_TEXTS[call.language].events;
  return (['from', 'to'] as const).map((side, index) => ({
    name: names[index] ?? side,
    label: labels[side],
    value: days[side],
    error: days.problem?.field === side ? text[days.problem.kind] : null,
    input: 'day',
  }));
}

/** What is wrong with the days, with a link to the field. */
export function DaysProblem({ call, days: { problem }, names: [from, to] }: DaysProps) {
  if (problem === null) {
    return null;
  }
  const text = DASHBOARD_TEXTS[call.language].events[problem.kind];
  const href = `#${problem.field === 'from' ? from : to}` as const;
  return <ProblemList call={call} problems={[[href, text]]} />;
}

/** Filters of a list, which lead to its address. */
export function FilterForm(props: {
  readonly call: DashboardCall;
  readonly action: string;
  readonly fields: readonly FilterField[];
  /** The buttons. */
  readonly children: ComponentChildren;
}) {
  const { call, action, fields, children } = props;
  return (
    <form class="filters" method="get" action={action}>
      {fields.map((field) => (
        <FilterInput call={call} field={field} />
      ))}
      {children}
    </form>
  );
}

function FilterInput(props: { readonly call: DashboardCall; readonly field: FilterField }) {
  const { call, field } = props;
  const { name, label, value, error = null, input } = field;
  switch (input) {
    case 'day':
      return <DateField call={call} id={name} label={label} error={error} value={value} />;
    case 'amount':
      return <AmountField call={call} field={field} />;
    default:
      return <SelectField id={name} label={label} options={input} selected={value} error={error} />;
  }
}

function AmountField(props: { readonly call: DashboardCall; readonly field: FilterField }) {
  const { name, label, value, error } = props.field;
  const hint = DASHBOARD_TEXTS[props.call.language].payments.amountHint;
  return (
    <Field id={name} label={label} hint={hint} error={error}>
      {(attributes) => (
        <input
          {...attributes}
          type="text"
          inputmode="decimal"
          name={name}
          value={value}
          autocomplete="off"
        />
      )}
    </Field>
  );
}
