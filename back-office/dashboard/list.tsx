import type { ComponentChildren, VNode } from 'preact';
import { type Cursor, parseCursor } from '../../src/kit/platform/paging.ts';
import { useTexts } from '../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../i18n/texts.ts';
import { Message, Pager, type Pages, Table } from '../ui/elements.tsx';
import { type Problems, SelectField, TextField } from '../ui/fields.tsx';
import type { DashboardCall } from './call.ts';
import { DateField } from './date-fields.tsx';
import type { DayNames, DaysForm } from './days.ts';

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

export function BadCursor(props: { readonly request: ListRequest }) {
  const { request } = props;
  const text = useTexts(DASHBOARD_TEXTS).payments;
  return request.status === 200 ? null : <Message tone="bad">{text.badCursor}</Message>;
}

/** What a column shows of a row; null for a column that this reader does not have. */
export type Column<Row> =
  | readonly [
      title: string,
      cell: (row: Row, index: number) => ComponentChildren,
      /** For money and counts, which are right-aligned. */
      kind?: 'figures',
    ]
  | null;

/** The rows of a page, and links to the pages beside it. */
export function List<Row>(props: {
  readonly title: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Shown instead of a list without rows. */
  readonly empty?: string | VNode;
  /** Absent for a list of one page. */
  readonly pages?: Pages;
}) {
  const { title, rows, empty = '', pages } = props;
  const columns = props.columns.filter((column) => column !== null);
  return (
    <>
      <Table
        caption={title}
        columns={columns.map(([name, , kind]) => ({ title: name, kind }))}
        rows={rows.map((row, index) => columns.map(([, cell]) => cell(row, index)))}
        empty={empty}
      />
      {pages && <Pager {...pages} />}
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
  readonly input: 'day' | 'amount' | Choices;
}

/** The two day fields of a form, by their names in the query. */
export function daysFields(
  { from, to }: DaysForm,
  names: DayNames,
  labels: { readonly from: string; readonly to: string },
): readonly FilterField[] {
  return [
    { name: names.from, label: labels.from, value: from, input: 'day' },
    { name: names.to, label: labels.to, value: to, input: 'day' },
  ];
}

/** What is wrong with the days of a form. */
export function daysProblems(
  { language }: DashboardCall,
  { problem }: DaysForm,
  names: DayNames,
): Problems {
  const text = DASHBOARD_TEXTS[language].events;
  return problem === null ? [] : [[names[problem.field], text[problem.kind]]];
}

/** Filters of a list, which lead to its address. */
export function FilterForm(props: {
  readonly action: string;
  readonly fields: readonly FilterField[];
  /** The buttons. */
  readonly children: ComponentChildren;
}) {
  const { action, fields, children } = props;
  return (
    <form class="filters" method="get" action={action}>
      {fields.map((field) => (
        <FilterInput field={field} />
      ))}
      {children}
    </form>
  );
}

function FilterInput({ field }: { readonly field: FilterField }) {
  const { name, label, value, input } = field;
  const { amountHint } = useTexts(DASHBOARD_TEXTS).payments;
  switch (input) {
    case 'day':
      return <DateField id={name} label={label} value={value} />;
    case 'amount':
      return (
        <TextField
          id={name}
          label={label}
          hint={amountHint}
          inputmode="decimal"
          value={value}
          required={false}
        />
      );
    default:
      return <SelectField id={name} label={label} options={input} selected={value} />;
  }
}
