/**
 * Characters that print as nothing or as something else: control, format, surrogate (two lone ones
 * would become the same text in UTF-8), private use, unassigned, line and paragraph separators.
 */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

/** Whether the text reads the same wherever it is shown: on a page, in a log, in the audit log. */
export function isPrintable(text: string): boolean {
  return !UNPRINTABLE.test(text);
}
