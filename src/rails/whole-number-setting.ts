import * as v from 'valibot';

/** An operator's setting: a whole number of `unit`, such as seconds. */
export function wholeNumber(unit: string, min: number, max: number) {
  const message = `Must be a whole number of ${unit}, ${min} to ${max}.`;
  return v.pipe(
    v.number(message),
    v.integer(message),
    v.minValue(min, message),
    v.maxValue(max, message),
  );
}
