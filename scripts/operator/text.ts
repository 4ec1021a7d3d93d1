import { majorText } from '../../src/kit/money.ts';

/** Could move the cursor or color the terminal: merchants and providers choose names and errors. */
const CONTROL = /[\p{Cc}\p{Cf}]/gu;

/** The text as one line. */
export function plain(value: unknown): string {
  return String(value ?? '').replace(CONTROL, ' ');
}

/**
 * What a command prints of an answer: the members that are facts, or columns of a list, and those
 * that are parts of their own. `*` stands for every member.
 */
export type View = readonly [names: string, parts?: Readonly<Record<string, View>>];

/** A view, or the lines themselves where an answer needs words of its own. */
export type Shown = View | ((content: never) => readonly string[]);

/** The lines that show the content: lists as tables, anything else as facts. */
export function linesOf(content: unknown, view: View, unit?: string): readonly string[] {
  const [names, parts] = view;
  const shown = names.split(' ').filter((name) => name !== '');
  if (Array.isArray(content)) {
    return parts === undefined
      ? table(shown.map(labelOf), rowsOf(content, shown), 'None.')
      : content.flatMap((item) => ['', ...linesOf(item, view)]);
  }
  const members = Object(content) as Readonly<Record<string, unknown>>;
  const asFacts =
    names === '*'
      ? Object.keys(members).map((name) => [name, valueText(unit ?? name, members[name])] as const)
      : shown.map((name) => [labelOf(name), valueText(name, members[name])] as const);
  return [
    ...facts(asFacts),
    ...Object.entries(parts ?? {}).flatMap(([name, part]) => [
      '',
      `${labelOf(name)}:`,
      ...partLines(members[name], part, name),
    ]),
  ];
}

function partLines(content: unknown, part: View, name: string): readonly string[] {
  const lines = content === null ? [] : linesOf(content, part, name);
  return lines.length === 0 ? ['None.'] : lines;
}

function rowsOf(items: readonly object[], names: readonly string[]) {
  return items.map((item) => names.map((name) => valueText(name, Reflect.get(item, name))));
}

/** `refundDailyMaxMinor` is "Refund daily max": the value shows its unit. */
function labelOf(name: string): string {
  const words = name
    .replace(/(AtMs|Minor|(?<=^at)Ms)$/, '')
    .replaceAll(/[A-Z]/g, ' $&')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A value in the unit that its name ends with. */
function valueText(name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') {
    return '-';
  }
  if (typeof value === 'number') {
    return numberText(name, value);
  }
  if (typeof value === 'boolean') {
    return value ? 'yes' : 'no';
  }
  if (Array.isArray(value)) {
    return value.every((item) => typeof item === 'string')
      ? value.join(', ') || 'none'
      : String(value.length);
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function numberText(name: string, value: number): string {
  if (/atMs$/i.test(name)) {
    return time(value);
  }
  if (name === 'basisPoints') {
    return `${majorText(value)}%`;
  }
  return name.endsWith('Minor') ? majorText(value) : String(value);
}

export function time(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** A table with aligned columns; `empty` if there are no rows. */
export function table(
  head: readonly string[],
  rows: readonly (readonly unknown[])[],
  empty: string,
): readonly string[] {
  if (rows.length === 0) {
    return [empty];
  }
  const cells = [head, ...rows.map((row) => row.map(plain))];
  const widths = head.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Labeled values, one per line. */
export function facts(entries: readonly (readonly [label: string, value: unknown])[]): string[] {
  const width = Math.max(...entries.map(([label]) => label.length));
  return entries.map(([label, value]) => `${label.padEnd(width)}  ${plain(value)}`);
}
