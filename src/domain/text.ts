/**
 * Characters that are invisible or display inconsistently: control, format, surrogate (UTF-8
 * encodes all lone ones alike), private use, unassigned, line and paragraph separators.
 */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

/** Whether the text reads the same on pages, in logs and in the audit log. */
export function isPrintable(text: string): boolean {
  return !UNPRINTABLE.test(text);
}
