/**
 * All that the commands print. Texts come from customers, merchants and servers: such characters could
 * clear the terminal, forge lines or reorder them.
 */

/** Control, bidirectional and other format characters and lone surrogates, but line ends and tabs. */
const UNPRINTABLE = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

export function print(text: string): void {
  console.log(harmless(text));
}

/** For what another program should not read. */
export function printNote(text: string): void {
  console.error(harmless(text));
}

/** A cell of a table, which must not begin another row. */
export function inOneLine(text: string): string {
  return harmless(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

/** As JSON writes them, so that printed JSON keeps its meaning. */
function harmless(text: string): string {
  return text.replace(UNPRINTABLE, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      const code = character.charCodeAt(index).toString(16);
      return `\\u${code.padStart(4, '0')}`;
    }).join(''),
  );
}
