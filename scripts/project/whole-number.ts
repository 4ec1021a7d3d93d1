import type { GivenOptions } from './options.ts';

/** Reads a number of the command line. Throws an error that says what it may be. */
export function wholeNumber(name: string, text: string, minimum: number): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < minimum || text.trim() === '') {
    throw new Error(`--${name} takes a whole number from ${minimum}`);
  }
  return number;
}

/** The number that an option gives, from `minimum`; `otherwise` when it is absent. */
export function givenNumber(
  given: GivenOptions,
  name: string,
  otherwise: number,
  minimum = 1,
): number {
  const [text] = given.get(name) ?? [];
  return text === undefined ? otherwise : wholeNumber(name, text, minimum);
}
