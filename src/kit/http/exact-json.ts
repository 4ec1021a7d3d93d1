/** Only a number of more digits than this can lose some of them as a double. */
const EXACT_DIGITS = 15;
/** More digits and points in a row, anywhere: most bodies have none. */
const LONG_NUMBER = new RegExp(`[\\d.]{${EXACT_DIGITS + 1}}`);

/**
 * `JSON.parse` for numbers with rules about decimals. A double rounds 1.0000000000000000001 to 1, and
 * the rule would not see the decimals (docs/decisions.md#5). This returns the next double instead,
 * which has too many decimals as well; of 11.989999999999998436 the next one would be 11.99. Takes
 * linear time. Throws SyntaxError.
 */
export function parseExactly(text: string): unknown {
  return LONG_NUMBER.test(text) ? JSON.parse(text, withDecimals) : JSON.parse(text);
}

/** The type of `JSON.parse` does not know the context. */
function withDecimals(_name: string, value: unknown, context?: { readonly source?: string }) {
  if (typeof value !== 'number') {
    return value;
  }
  const decimals = decimalsOf(String(value));
  const next = value * (1 + Number.EPSILON);
  return decimalsOf(context?.source ?? '') > decimals && decimalsOf(String(next)) > decimals
    ? next
    : value;
}

/** The decimals of a JSON number, without zeros at the end: 2 of `1.250`, `125e-2` and `1.25`. */
function decimalsOf(number: string): number {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  let end = digits.length;
  while (digits[end - 1] === '0') {
    end -= 1;
  }
  return Math.max(0, end - whole.length - Number(exponent));
}
