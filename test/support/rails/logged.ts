import { vi } from 'vitest';

/** The lines `rail_answer` that are logged from now on, and their levels. Restore mocks after it. */
export function watchRailAnswers(): readonly Readonly<Record<string, unknown>>[] {
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
