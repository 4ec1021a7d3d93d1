/**
 * Characters that are invisible or display inconsistently: control, format, surrogate (UTF-8
 * encodes all lone ones alike), private use, unassigned, line and paragraph separators.
 */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

/** Whether the text reads the same on pages, in logs and in the audit log. */
export function isPrintable(text: string): boolean {
  return !UNPRINTABLE.test(text);
}

/**
 * Half of a surrogate pair, which remains of an emoji that a program cut in two, or an ASCII control
 * character except tab and line breaks. PostgreSQL's `jsonb` and PHP's `json_decode` refuse a whole
 * webhook or list because of one.
 */
const DAMAGE = /(?![\t\n\r\u0080-\u009f])[\p{Cc}\p{Cs}]/u;
const EACH_DAMAGE = new RegExp(DAMAGE, 'gu');

/** Whether every reader of JSON can read the text. */
export function isIntact(text: string): boolean {
  return !DAMAGE.test(text);
}

/** The text with a replacement character for each damaged one. */
export function intactText(text: string): string {
  return text.replaceAll(EACH_DAMAGE, '\ufffd');
}

/** Counts code points, unless the length alone decides. */
export function hasAtMost(text: string, charactersMax: number): boolean {
  if (text.length <= charactersMax) {
    return true;
  }
  return text.length <= 2 * charactersMax && Array.from(text).length <= charactersMax;
}
