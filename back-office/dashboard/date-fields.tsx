import { businessDay, dayText } from '../../src/kit/ethiopian-time.ts';
import { clockText, exactClockText } from '../../src/kit/i18n/time-text.ts';
import { useTexts } from '../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../i18n/texts.ts';
import { Moment } from '../ui/elements.tsx';
import { Field, FieldError, useProblem } from '../ui/fields.tsx';
import { Navigation } from '../ui/page.tsx';
import { useCall } from './call.ts';
import { CALENDARS, type Calendar, dateIn, dayFrom, type Preset, presetDays } from './days.ts';
import { CALENDAR_PARAMETER } from './remembered.ts';

/** A day in the member's language and calendar, such as `21 Nov 2026`. */
export function dateText(day: number): string {
  const call = useCall();
  const { day: date, month, year } = dateIn(call.calendar, day);
  return `${date} ${monthNames()[month - 1]} ${year}`;
}

/** The same without the year. */
export function shortDateText(day: number): string {
  const call = useCall();
  const { day: date, month } = dateIn(call.calendar, day);
  return `${date} ${monthNames()[month - 1]}`;
}

/** The time. A phone shows only the clock for today's payments, and only the day for others. */
export function ListedTime({ atMs }: { readonly atMs: number }) {
  const call = useCall();
  const day = businessDay(atMs);
  const { clock, dayAndClock } = useTexts(DASHBOARD_TEXTS).dates;
  return (
    <>
      <span class="on-desktop">
        <Moment atMs={atMs}>{dayAndClock(dateText(day), clockText(atMs))}</Moment>
      </span>
      <span class="on-phone">
        <Moment atMs={atMs}>
          {day === businessDay(call.nowMs) ? clock(clockText(atMs)) : shortDateText(day)}
        </Moment>
      </span>
    </>
  );
}

/** The time to the second, without the year, for things that happen within days. */
export function ShortTime({ atMs }: { readonly atMs: number }) {
  const { dayAndClock } = useTexts(DASHBOARD_TEXTS).dates;
  const day = shortDateText(businessDay(atMs));
  return <Moment atMs={atMs}>{dayAndClock(day, exactClockText(atMs))}</Moment>;
}

function monthNames(): readonly string[] {
  const { months, ethiopianMonths } = useTexts(DASHBOARD_TEXTS).dates;
  return useCall().calendar === 'ethiopian' ? ethiopianMonths : months;
}

interface DateFieldProps {
  /** The name of the field in the form's query, and its id. */
  readonly id: string;
  readonly label: string;
  /** `2026-11-21`, or what was typed instead. */
  readonly value: string;
}

/** A day to choose: by the browser's own calendar, or by three boxes in the Ethiopian one. */
export function DateField(props: DateFieldProps) {
  const call = useCall();
  const { id, label, value } = props;
  const error = useProblem(id);
  if (call.calendar === 'ethiopian') {
    return <EthiopianDateField {...props} />;
  }
  return (
    <Field id={id} label={label}>
      {(attributes) =>
        // A date field would not show a text that is not a date.
        error === null ? (
          <input {...attributes} type="date" name={id} value={value} autocomplete="off" />
        ) : (
          <input {...attributes} type="text" name={id} value={value} autocomplete="off" />
        )
      }
    </Field>
  );
}

/** Payments can be this old, and ranges may begin before them. */
const YEARS_SHOWN = 8;
const DAYS_OF_MONTH = 30;

function EthiopianDateField({ id, label, value }: DateFieldProps) {
  const error = useProblem(id);
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).dates;
  const day = dayFrom(value);
  const chosen = day === null ? null : dateIn('ethiopian', day);
  const thisYear = dateIn('ethiopian', businessDay(call.nowMs)).year;
  const numbers = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
  const years = new Set([
    ...numbers(thisYear - YEARS_SHOWN + 1, thisYear + 1),
    ...(chosen === null ? [] : [String(chosen.year)]),
  ]);
  const box = (
    part: 'day' | 'month' | 'year',
    options: readonly (readonly [value: string, text: string])[],
  ) => (
    <select
      id={part === 'day' ? id : undefined}
      name={`${id}-${part}`}
      aria-label={`${label}: ${text[part]}`}
      aria-invalid={error === null ? undefined : 'true'}
    >
      <option value="">{text[part]}</option>
      {options.map(([number, name]) => (
        <option value={number} selected={number === String(chosen?.[part])}>
          {name}
        </option>
      ))}
    </select>
  );
  return (
    <fieldset class="field">
      <legend>{label}</legend>
      <FieldError id={id} error={error} />
      <div class="date-row">
        {box(
          'day',
          numbers(1, DAYS_OF_MONTH).map((number) => [number, number]),
        )}
        {box(
          'month',
          text.ethiopianMonths.map((name, index) => [String(index + 1), name]),
        )}
        {box(
          'year',
          [...years].map((number) => [number, number]),
        )}
      </div>
    </fieldset>
  );
}

/** Links that show the same page with days in the other calendar. The browser remembers it. */
export function CalendarSwitch() {
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).dates;
  const hrefOf = (calendar: Calendar) => {
    const query = new URLSearchParams(call.url.search);
    query.set(CALENDAR_PARAMETER, calendar);
    return `${call.url.pathname}?${query}`;
  };
  return (
    <p class="small calendar">
      <span class="quiet">{text.calendar}:</span>{' '}
      {CALENDARS.map((calendar) =>
        calendar === call.calendar ? (
          <strong>{text.calendars[calendar]}</strong>
        ) : (
          <a href={hrefOf(calendar)}>{text.calendars[calendar]}</a>
        ),
      )}
    </p>
  );
}

const PRESETS: readonly Preset[] = [
  'today',
  'yesterday',
  'week',
  'month',
  'thisMonth',
  'lastMonth',
];

/** Links to the usual ranges of days. */
export function DatePresets(props: {
  /** The days that the page shows, as its query names them; empty for all. */
  readonly from: string;
  readonly to: string;
  /** What the page shows without days in its query. */
  readonly byDefault: Preset | 'all';
  /** The page's URL with these days. */
  readonly pathTo: (from: string, to: string) => string;
}) {
  const call = useCall();
  const { from, to, byDefault, pathTo } = props;
  const text = useTexts(DASHBOARD_TEXTS).dates;
  const isDefault = `${from}${to}` === '';
  const ranges = PRESETS.map((preset) => {
    const { fromDay, toDay } = presetDays(preset, businessDay(call.nowMs), call.calendar);
    return { preset, from: dayText(fromDay), to: dayText(toDay) };
  });
  return (
    <Navigation
      class="chips"
      label={text.presets}
      links={[
        ...(byDefault === 'all'
          ? [{ href: pathTo('', ''), text: text.preset.all, isCurrent: isDefault }]
          : []),
        ...ranges.map((range) => ({
          href: pathTo(range.from, range.to),
          text: text.preset[range.preset],
          isCurrent: isDefault
            ? range.preset === byDefault
            : range.from === from && range.to === to,
        })),
      ]}
    />
  );
}
