import { majorText } from '../../src/domain/money.ts';

/** Could move the cursor or color the terminal: merchants and providers choose names and errors. */
const CONTROL = /[\p{Cc}\p{Cf}]/gu;

/** The text as one line. */
export function plain(value: unknown): string {
  return String(value ?? '').replace(CONTROL, ' ');
}

export function time(atMs: number | null): string {
  return atMs === null ? '-' : `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

export function money(amountMinor: number, currency: string): string {
  return `${majorText(amountMinor)} ${currency}`;
}

export function rate(basisPoints: number, fixedMinor: number): string {
  return `${majorText(basisPoints)}% + ${majorText(fixedMinor)}`;
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
