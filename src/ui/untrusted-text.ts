/**
 * Characters that are invisible or reorder the text around them: control, bidirectional and other
 * format characters, lone surrogates, private use, line and paragraph separators. Joiners stay:
 * scripts and emoji need them.
 */
const UNPRINTABLE = /(?!\u200c|\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;
/** The same for text of several lines. */
const UNPRINTABLE_BUT_LINES = /(?!\t|\n|\u200c|\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/**
 * Text that merchants, customers or their servers wrote, as a page may show it: such characters are
 * named instead. The page itself escapes HTML.
 */
export function shownText(text: string): string {
  return text.replace(UNPRINTABLE, named);
}

/** The same, but line breaks and tabs stay: for `<pre>`. */
export function shownLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNPRINTABLE_BUT_LINES, named);
}

function named(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
}
