import { timeMsOf } from '../../kit/ethiopian-time.ts';

/** Dates of a fixed form, in the time of Addis Ababa: a file must not mix several. Pure. */

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const PARTS: Readonly<Record<string, string>> = {
  yyyy: '(?<year>\\d{4})',
  MMM: `(?<name>${MONTHS.join('|')})[a-z]*`,
  MM: '(?<month>\\d\\d)',
  M: '(?<month>\\d\\d?)',
  dd: '(?<day>\\d\\d)',
  d: '(?<day>\\d\\d?)',
  HH: '(?<hour>\\d\\d)',
  H: '(?<hour>\\d\\d?)',
  hh: '(?<half>0[1-9]|1[0-2])',
  h: '(?<half>0?[1-9]|1[0-2])',
  mm: '(?<minute>\\d\\d)',
  ss: '(?<second>\\d\\d)',
  S: '\\d{1,9}',
  a: '(?<noon>[ap])\\.?m\\.?',
  T: 'T',
};

const PART = /yyyy|MMM|MM|M|dd|d|HH|H|hh|h|mm|ss|S+|a|./g;
/** The longest has a month's name and nine digits of a second. */
const DATE_CHARACTERS_MAX = 60;

/**
 * Reads dates of a form such as `dd/MM/yyyy HH:mm`, `d-MMM-yyyy` or `yyyyMMddHHmmss`, as milliseconds
 * since 1970; null for other texts. Null for a form that names no day.
 */
export function dateReader(format: string): ((text: string) => number | null) | null {
  const parts = (format.match(PART) ?? []).map((part) => part.replace(/^S+$/, 'S'));
  const isKnown = parts.every((part) => part in PARTS || !/[A-Za-z0-9]/.test(part));
  const names = new Set(parts.map((part) => part[0]));
  if (!isKnown || !['y', 'M', 'd'].every((name) => names.has(name))) {
    return null;
  }
  const source = parts.map((part) => PARTS[part] ?? `\\${part}`).join('');
  let pattern: RegExp;
  try {
    pattern = new RegExp(`^${source}$`, 'i');
  } catch {
    // A part stands twice.
    return null;
  }
  return (text) => {
    const found = text.length > DATE_CHARACTERS_MAX ? undefined : pattern.exec(text)?.groups;
    return found === undefined ? null : timeOf(found);
  };
}

function timeOf(found: Readonly<Record<string, string | undefined>>): number | null {
  const { year, name, month, day, hour, half, minute = '00', second = '00', noon } = found;
  const number = name === undefined ? month : MONTHS.indexOf(name.toLowerCase()) + 1;
  const afternoon = noon?.toLowerCase() === 'p' ? 12 : 0;
  const hours = half === undefined ? (hour ?? 0) : (Number(half) % 12) + afternoon;
  const [mm, dd, HH] = [number, day, hours].map((part) => String(part).padStart(2, '0'));
  return timeMsOf(`${year}-${mm}-${dd}T${HH}:${minute}:${second}+03:00`);
}
