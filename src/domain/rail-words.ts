/** Longest code or state of a rail's that is kept: the longest that is documented has some 30. */
export const RAIL_WORDS_LENGTH_MAX = 64;

/** Codes and states look like this. A rail's prose might hold a name or a secret. */
const PRINTABLE_WORDS = new RegExp(`^[A-Za-z0-9_. -]{1,${RAIL_WORDS_LENGTH_MAX}}$`);

/** An Ethiopian phone number, alone or at the end of an id: some rails make their ids of it. */
const PHONE_NUMBER = /[79]\d{8}(?!\d)/;

/** What may stand between a phone number's digits. */
const SEPARATORS = /[_. -]/g;

/** What a rail said, if it is codes or states and nothing that might be somebody's; else null. */
export function printableWords(words: string | null | undefined): string | null {
  const isFit =
    words != null &&
    PRINTABLE_WORDS.test(words) &&
    !PHONE_NUMBER.test(words.replace(SEPARATORS, ''));
  return isFit ? words : null;
}
