import { CURRENCIES, ENVIRONMENTS, METHODS, type Method } from '../../src/domain/method.ts';
import { UsageError } from './command.ts';

/** Checks values of the command line to explain mistakes. The gateway checks them again. */

export function oneOf<const Values extends readonly string[]>(
  what: string,
  values: Values,
  text: string,
): Values[number] {
  const found = values.find((value) => value === text);
  if (found === undefined) {
    throw new UsageError(`${what} must be one of ${values.join(', ')}, not "${text}"`);
  }
  return found;
}

export function environment(text: string): string {
  return oneOf('the environment', ENVIRONMENTS, text);
}

export function method(text: string): Method {
  return oneOf('the method', METHODS, text);
}

export function currency(text: string): string {
  return oneOf('the currency', CURRENCIES, text);
}

export function methodList(text: string): readonly Method[] {
  return text === 'all' ? METHODS : text === 'none' ? [] : text.split(',').map(method);
}

/** `2.5` percent is 250 basis points. */
export function basisPoints(text: string): number {
  const hundredths = twoDecimals(text);
  if (hundredths === null || hundredths > 10_000) {
    throw new UsageError(
      `a commission must be 0 to 100 percent with at most two decimals, not "${text}"`,
    );
  }
  return hundredths;
}

/** `150.50` is 15050 minor units. */
export function minorUnits(text: string): number {
  const minor = twoDecimals(text);
  if (minor === null) {
    throw new UsageError(
      `an amount must have at most nine digits and two decimals, such as 150.50, not "${text}"`,
    );
  }
  return minor;
}

/** Minor units as the API names them: `15050` is 150.50. */
export function wholeMinorUnits(text: string): number {
  if (!/^[1-9]\d{0,10}$/.test(text)) {
    throw new UsageError(
      `--amount-minor must be a whole number of minor units, such as 15050 for 150.50, not "${text}"`,
    );
  }
  return Number(text);
}

export function days(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) {
    throw new UsageError(`--days must be a whole number of days from 1 to 400, not "${text}"`);
  }
  return Number(text);
}

/** Exact hundredths, or null. No payment needs more than nine digits before the point. */
function twoDecimals(text: string): number | null {
  const parts = /^(\d{1,9})(?:\.(\d{1,2}))?$/.exec(text);
  return parts?.[1] === undefined
    ? null
    : Number(parts[1]) * 100 + Number((parts[2] ?? '').padEnd(2, '0'));
}

/** `M_PESA=1.5+1.00`: 1.5 percent plus one birr (or dollar). */
export function commission(text: string): {
  readonly method: Method;
  readonly basisPoints: number;
  readonly fixedMinor: number;
} {
  const parts = /^([A-Z_]+)=([\d.]+)(?:\+([\d.]+))?$/.exec(text);
  if (parts?.[1] === undefined || parts[2] === undefined) {
    throw new UsageError(
      `--commission must be METHOD=PERCENT or METHOD=PERCENT+FIXED, not "${text}"`,
    );
  }
  return {
    method: method(parts[1]),
    basisPoints: basisPoints(parts[2]),
    fixedMinor: minorUnits(parts[3] ?? '0'),
  };
}

export function yesOrNo(text: string): boolean {
  return oneOf('the value', ['yes', 'no'], text) === 'yes';
}
