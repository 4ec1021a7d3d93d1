import { printableWords } from '../domain/rail-words.ts';

/**
 * `result` with the rail's own code or state for it, where that is fit to be kept: an outcome, or
 * the answer to a start.
 */
export function withWords<const Result extends { readonly type: string }>(
  result: Result,
  words: string | null,
): Result & { readonly words?: string } {
  const printable = printableWords(words);
  return printable === null ? result : { ...result, words: printable };
}
