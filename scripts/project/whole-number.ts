/** Reads a number of the command line. Throws an error that says what it may be. */
export function wholeNumber(name: string, text: string, minimum: number): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < minimum || text.trim() === '') {
    throw new Error(`--${name} takes a whole number from ${minimum}`);
  }
  return number;
}
