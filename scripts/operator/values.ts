import { ROLES } from '../../back-office/members/permissions.ts';
import type { Kind } from '../../back-office/operator/actions/action.ts';
import { METHODS } from '../../src/engine/domain/method.ts';
import { CURRENCIES } from '../../src/kit/money.ts';
import { ENVIRONMENTS } from '../../src/kit/tenant.ts';
import { UsageError } from './command.ts';

/** Reads values of the command line, to explain mistakes. The gateway checks them again. */

type Reader<Value = unknown> = (text: string) => Value;

function oneOf<const Values extends readonly string[]>(
  what: string,
  values: Values,
): Reader<Values[number]> {
  return (text) => {
    const found = values.find((value) => value === text);
    if (found === undefined) {
      throw new UsageError(`${what} must be one of ${values.join(', ')}, not "${text}"`);
    }
    return found;
  };
}

const method = oneOf('the method', METHODS);
const yesOrNo = oneOf('the value', ['yes', 'no']);

/** Parts of paths that have few values. */
export const PART_READERS: Readonly<Record<string, Reader<string>>> = {
  environment: oneOf('the environment', ENVIRONMENTS),
  method,
  currency: oneOf('the currency', CURRENCIES),
};

/** `2.5` is 250 hundredths, exactly. The largest payment has nine digits before the point. */
function hundredths(mistake: string, max = Number.POSITIVE_INFINITY): Reader<number> {
  return (text) => {
    const [, whole, part = ''] = /^(\d{1,9})(?:\.(\d{1,2}))?$/.exec(text) ?? [];
    const value = Number(whole) * 100 + Number(part.padEnd(2, '0'));
    if (whole === undefined || value > max) {
      throw new UsageError(`${mistake}, not "${text}"`);
    }
    return value;
  };
}

const amount = hundredths(
  'an amount must have at most nine digits and two decimals, such as 150.50',
);
const percent = hundredths(
  'a commission must be 0 to 100 percent with at most two decimals',
  10_000,
);

function wholeNumber(pattern: RegExp, mistake: string): Reader<number> {
  return (text) => {
    if (!pattern.test(text)) {
      throw new UsageError(`${mistake}, not "${text}"`);
    }
    return Number(text);
  };
}

/** `M_PESA=1.5+1.00`: 1.5 percent plus one birr (or dollar). */
function commission(text: string) {
  const [, name, rate, fixed = '0'] = /^([A-Z_]+)=([\d.]+)(?:\+([\d.]+))?$/.exec(text) ?? [];
  if (name === undefined || rate === undefined) {
    throw new UsageError(
      `--commission must be METHOD=PERCENT or METHOD=PERCENT+FIXED, not "${text}"`,
    );
  }
  return { method: method(name), basisPoints: percent(rate), fixedMinor: amount(fixed) };
}

/** How each kind of value is read. */
export const READERS: Readonly<Record<Kind, Reader>> = {
  amount,
  amount_or_none: (text) => (text === 'none' ? null : amount(text)),
  commission,
  days: wholeNumber(/^[1-9]\d{0,2}$/, '--days must be a whole number of days from 1 to 400'),
  methods: (text) =>
    text === 'all' ? METHODS : text === 'none' ? [] : text.split(',').map(method),
  minor_units: wholeNumber(
    /^[1-9]\d{0,10}$/,
    '--amount-minor must be a whole number of minor units, such as 15050 for 150.50',
  ),
  percent,
  role: oneOf('the role', ROLES),
  schemes: (text) => (text === 'none' ? [] : text.split(',')),
  yes_or_no: (text) => yesOrNo(text) === 'yes',
};
