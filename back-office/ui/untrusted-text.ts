/**
 * Characters that are invisible or reorder the text around them: control, bidirectional and other
 * format characters, lone surrogates, private use, line and paragraph separators. Joiners are
 * allowed, because scripts and emoji need them.
 */
const UNPRINTABLE = /(?!\u200c|\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;
/** The same for multi-line text. */
const UNPRINTABLE_BUT_LINES = /(?!\t|\n|\u200c|\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/**
 * Text from merchants, customers or their servers, safe to show: such characters are replaced by
 * their names. The page itself escapes HTML.
 */
export function shownText(text: string): string {
  return text.replace(UNPRINTABLE, named);
}

/** The same for `<pre>`: line breaks and tabs stay. */
export function shownLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNPRINTABLE_BUT_LINES, named);
}

function named(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
}
