import { vi } from 'vitest';

/**
 * The `rail_answer` lines that are logged from now on, with their levels. Restore mocks afterwards.
 */
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
