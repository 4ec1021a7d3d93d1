import { vi } from 'vitest';
import type { RailOrder } from '../../../src/engine/rails/rail-order.ts';

type Lines = readonly Readonly<Record<string, unknown>>[];

/** Those about one order: the report of another test's order may arrive, and be logged, late. */
export function linesAbout(
  lines: Lines,
  { attempt: { reference } }: Pick<RailOrder, 'attempt'>,
): Lines {
  return lines.filter((line) => line.reference === reference);
}

/**
 * The `rail_answer` lines that are logged from now on, with their levels. Restore mocks afterwards.
 */
export function watchRailAnswers(): Lines {
  const lines: Record<string, unknown>[] = [];
  for (const level of ['info', 'warn'] as const) {
    vi.spyOn(console, level).mockImplementation((line: string) => {
      const { event, ...fields } = JSON.parse(line);
      if (event === 'rail_answer') {
        lines.push({ level, ...fields });
      }
    });
  }
  return lines;
}
