import { moneyIn } from '../../back-office/payment-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { countText } from '../../i18n/money-text.ts';
import type { DashboardCall } from '../call.ts';
import { dayText } from '../days.ts';
import { type CurrencyFigures, type MethodFigures, rateText } from './figures.ts';

/** Charts drawn on the server. Lengths are in units of the drawing, about a pixel on a phone. */

const WIDTH = 320;
const CAPTION_HEIGHT = 18;
const VOLUME_HEIGHT = 110;
/** Of a bar's place; the rest separates it from its neighbors. */
const BAR_PART = 0.72;
/** A small volume stays visible next to the highest bar. */
const BAR_HEIGHT_MIN = 1.5;
const RATE_ROW_HEIGHT = 40;
const RATE_BAR_HEIGHT = 10;

interface ChartProps {
  readonly call: Pick<DashboardCall, 'language'>;
  readonly figures: CurrencyFigures;
}

/** The paid volume, day by day. */
export function VolumeChart({ call, figures }: ChartProps) {
  const { currency, bars, barMinorMax } = figures;
  const text = DASHBOARD_TEXTS[call.language].payments;
  const place = WIDTH / bars.length;
  const bottom = CAPTION_HEIGHT + VOLUME_HEIGHT;
  const money = moneyIn(call, currency);
  return (
    <Chart
      id={`volume-${currency}`}
      height={bottom + CAPTION_HEIGHT}
      title={volumeTitle(call, figures)}
      description={text.volumeChartDescription(money(barMinorMax), money(figures.paidMinor))}
    >
      <text x={0} y={CAPTION_HEIGHT - 5}>
        {money(barMinorMax)}
      </text>
      <path class="chart-line" d={`M0 ${CAPTION_HEIGHT}H${WIDTH}M0 ${bottom}H${WIDTH}`} />
      {bars.map((bar, index) =>
        bar.paidMinor === 0 ? null : (
          <rect
            class="chart-bar"
            x={round(index * place + (place * (1 - BAR_PART)) / 2)}
            y={round(bottom - barHeight(bar.paidMinor, barMinorMax))}
            width={round(place * BAR_PART)}
            height={round(barHeight(bar.paidMinor, barMinorMax))}
          >
            <title>{`${daysText(bar)}: ${money(bar.paidMinor)}`}</title>
          </rect>
        ),
      )}
      <text x={0} y={bottom + CAPTION_HEIGHT - 3}>
        {dayText(bars[0]?.fromDay ?? 0)}
      </text>
      <text x={WIDTH} y={bottom + CAPTION_HEIGHT - 3} text-anchor="end">
        {dayText(bars.at(-1)?.toDay ?? 0)}
      </text>
    </Chart>
  );
}

/** The success rate, method by method. */
export function RateChart({ call, figures }: ChartProps) {
  const text = DASHBOARD_TEXTS[call.language].payments;
  const methods = ratedMethods(figures);
  return methods.length === 0 ? null : (
    <Chart
      id={`rate-${figures.currency}`}
      height={methods.length * RATE_ROW_HEIGHT}
      title={text.rateChart(figures.currency)}
      description={text.rateChartDescription}
    >
      {methods.map((method, index) => {
        const top = index * RATE_ROW_HEIGHT + CAPTION_HEIGHT;
        return (
          <g>
            <text x={0} y={top - 3}>
              {methodText(call, method)}
            </text>
            <text x={WIDTH} y={top - 3} text-anchor="end">
              {`${methodRateText(call, method)} (${countsText(call, method)})`}
            </text>
            <rect class="chart-ground" x={0} y={top + 2} width={WIDTH} height={RATE_BAR_HEIGHT} />
            <rect
              class="chart-bar"
              x={0}
              y={top + 2}
              width={round((WIDTH * (method.rateTenths ?? 0)) / 1_000)}
              height={RATE_BAR_HEIGHT}
            />
          </g>
        );
      })}
    </Chart>
  );
}

/** One picture for screen readers; its description points to the table with the numbers. */
function Chart(props: {
  readonly id: string;
  readonly height: number;
  readonly title: string;
  readonly description: string;
  readonly children: preact.ComponentChildren;
}) {
  const { id, height, title, description, children } = props;
  return (
    <figure class="chart">
      <figcaption aria-hidden="true">{title}</figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${height}`}
        role="img"
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-description`}
      >
        <title id={`${id}-title`}>{title}</title>
        <desc id={`${id}-description`}>{description}</desc>
        {children}
      </svg>
    </figure>
  );
}

export function volumeTitle(call: ChartProps['call'], { bars, currency }: CurrencyFigures): string {
  const text = DASHBOARD_TEXTS[call.language].payments;
  const [first] = bars;
  const days = first === undefined ? 1 : first.toDay - first.fromDay + 1;
  return days === 1 ? text.volumeChart(currency) : text.volumeChartGrouped(currency, String(days));
}

/** `2026-11-21`, or the first and last of several days. */
export function daysText({ fromDay, toDay }: { readonly fromDay: number; readonly toDay: number }) {
  return fromDay === toDay ? dayText(fromDay) : `${dayText(fromDay)} – ${dayText(toDay)}`;
}

export function methodText(call: ChartProps['call'], { method }: MethodFigures): string {
  return method === null
    ? DASHBOARD_TEXTS[call.language].payments.noMethod
    : CHECKOUT_TEXTS[call.language].methodName[method];
}

export function methodRateText(
  call: ChartProps['call'],
  counts: Pick<MethodFigures, 'rateTenths'>,
) {
  const text = DASHBOARD_TEXTS[call.language].payments;
  return counts.rateTenths === null ? text.nothingEnded : text.percent(rateText(counts.rateTenths));
}

export function countsText(
  call: ChartProps['call'],
  { paid, ended }: Pick<MethodFigures, 'paid' | 'ended'>,
): string {
  const { locale } = CHECKOUT_TEXTS[call.language];
  return `${countText(paid, locale)}/${countText(ended, locale)}`;
}

/** Payments without a method cannot be paid, so only the table has them. */
function ratedMethods({ methods }: CurrencyFigures): readonly MethodFigures[] {
  return methods.filter(({ method, rateTenths }) => method !== null && rateTenths !== null);
}

function barHeight(paidMinor: number, barMinorMax: number): number {
  return Math.max((VOLUME_HEIGHT * paidMinor) / barMinorMax, BAR_HEIGHT_MIN);
}

/** To tenths: smaller parts of a pixel are invisible and cost bytes. */
function round(length: number): number {
  return Math.round(length * 10) / 10;
}
