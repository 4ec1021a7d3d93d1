import { countText } from '../../../src/kit/i18n/money-text.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { methodText } from '../../elements/currency-statement.tsx';
import { useMoney } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { dateText, shortDateText } from '../date-fields.tsx';
import {
  type AttemptFigures,
  type CurrencyFigures,
  type FigureDays,
  type MethodFigures,
  rateText,
  type VolumeBar,
} from './figures.ts';

/** Charts drawn on the server. Lengths are in units of the drawing, about a pixel on a phone. */

const WIDTH = 320;
const CAPTION_HEIGHT = 18;
/** Half a line, for the highest label of the axis. */
const MARGIN_TOP = 8;
/** Room for the labels of the amounts. */
const AXIS_WIDTH = 44;
const VOLUME_HEIGHT = 110;
const BOTTOM = MARGIN_TOP + VOLUME_HEIGHT;
/** The part of a bar's place that the bar fills; the rest separates it from its neighbors. */
const BAR_PART = 0.72;
/** A small volume stays visible next to the highest bar. */
const BAR_HEIGHT_MIN = 1.5;
const MINOR_PER_MAJOR = 100;
const ROW_HEIGHT = 40;
const ROW_BAR_HEIGHT = 10;

interface ChartProps {
  readonly figures: CurrencyFigures;
}

/** The paid volume, day by day, as a line that ends today. */
export function TrendChart({ figures }: ChartProps) {
  const { currency, bars, barMinorMax } = figures;
  const text = useTexts(DASHBOARD_TEXTS).overview;
  const money = useMoney(currency);
  const place = (WIDTH - AXIS_WIDTH) / bars.length;
  const points = bars.map(({ paidMinor }, index) => ({
    x: round(AXIS_WIDTH + (index + 0.5) * place),
    y: round(BOTTOM - (VOLUME_HEIGHT * paidMinor) / barMinorMax),
  }));
  const line = points.map(({ x, y }) => `${x} ${y}`).join('L');
  const [first, last] = [points.at(0), points.at(-1)];
  return (
    <Chart
      id={`volume-${currency}`}
      height={BOTTOM + CAPTION_HEIGHT}
      title={volumeTitle(figures)}
      description={text.trendDescription(money(barMinorMax), money(totalMinor(figures)))}
    >
      <AmountAxis figures={figures} />
      <path class="chart-area" d={`M${line}L${last?.x} ${BOTTOM}H${first?.x}Z`} />
      <path class="chart-trend" d={`M${line}`} />
      <circle class="chart-bar" cx={last?.x} cy={last?.y} r={3.5} />
      <DayAxis bars={bars} y={BOTTOM + CAPTION_HEIGHT - 3} />
    </Chart>
  );
}

/** The paid volume, in bars of one day or several. */
export function VolumeChart({ figures }: ChartProps) {
  const { currency, bars, barMinorMax } = figures;
  const text = useTexts(DASHBOARD_TEXTS).overview;
  const place = (WIDTH - AXIS_WIDTH) / bars.length;
  const money = useMoney(currency);
  return (
    <Chart
      id={`volume-${currency}`}
      height={BOTTOM + CAPTION_HEIGHT}
      title={volumeTitle(figures)}
      description={text.volumeChartDescription(money(barMinorMax), money(totalMinor(figures)))}
      caption={bars.some(({ refundedMinor }) => refundedMinor > 0) ? text.chartRefunded : null}
    >
      <AmountAxis figures={figures} />
      {bars.map((bar, index) =>
        bar.paidMinor === 0 ? null : (
          <Bar
            x={round(AXIS_WIDTH + index * place + (place * (1 - BAR_PART)) / 2)}
            bottom={BOTTOM}
            width={round(place * BAR_PART)}
            height={barHeight(bar.paidMinor, barMinorMax)}
            refundedPart={Math.min(1, bar.refundedMinor / bar.paidMinor)}
            title={barText(bar, money)}
          />
        ),
      )}
      <DayAxis bars={bars} y={BOTTOM + CAPTION_HEIGHT - 3} />
    </Chart>
  );
}

function totalMinor({ bars }: CurrencyFigures): number {
  return bars.reduce((sum, { paidMinor }) => sum + paidMinor, 0);
}

/** Lines at nothing, at the highest amount and in the middle. */
function AmountAxis({ figures }: ChartProps) {
  return (
    <>
      {[0, 0.5, 1].map((part) => {
        const y = round(BOTTOM - part * VOLUME_HEIGHT);
        return (
          <>
            <path class="chart-line" d={`M${AXIS_WIDTH} ${y}H${WIDTH}`} />
            <text x={AXIS_WIDTH - 4} y={y + 4} text-anchor="end">
              {shortAmountText(part * figures.barMinorMax)}
            </text>
          </>
        );
      })}
    </>
  );
}

/** A bar. Its light upper part, at most the whole bar, is what was refunded on its days. */
function Bar(props: {
  readonly x: number;
  readonly bottom: number;
  readonly width: number;
  readonly height: number;
  /** From 0 to 1. */
  readonly refundedPart: number;
  readonly title: string;
}) {
  const { x, bottom, width, height, refundedPart, title } = props;
  const netHeight = height * (1 - refundedPart);
  return (
    <g>
      <title>{title}</title>
      {refundedPart > 0 && (
        <rect
          class="chart-refunded"
          x={x}
          y={round(bottom - height)}
          width={width}
          height={round(height - netHeight)}
        />
      )}
      <rect
        class="chart-bar"
        x={x}
        y={round(bottom - netHeight)}
        width={width}
        height={round(netHeight)}
      />
    </g>
  );
}

function barText(bar: VolumeBar, money: (amountMinor: number) => string): string {
  const { refunded } = useTexts(DASHBOARD_TEXTS).overview.statement;
  const paid = `${daysText(bar)}: ${money(bar.paidMinor)}`;
  return bar.refundedMinor === 0 ? paid : `${paid} (${refunded}: ${money(bar.refundedMinor)})`;
}

/** The first day, the last, and with room the one in the middle. */
function DayAxis(props: { readonly bars: readonly VolumeBar[]; readonly y: number }) {
  const { bars, y } = props;
  const middle = Math.floor(bars.length / 2);
  const width = WIDTH - AXIS_WIDTH;
  const dayAt = (index: number) => shortDateText(bars.at(index)?.fromDay ?? 0);
  return (
    <>
      <text x={AXIS_WIDTH} y={y}>
        {dayAt(0)}
      </text>
      {bars.length > 2 && (
        <text
          x={round(AXIS_WIDTH + ((middle + 0.5) * width) / bars.length)}
          y={y}
          text-anchor="middle"
        >
          {dayAt(middle)}
        </text>
      )}
      {bars.length > 1 && (
        <text x={WIDTH} y={y} text-anchor="end">
          {shortDateText(bars.at(-1)?.toDay ?? 0)}
        </text>
      )}
    </>
  );
}

/** What was sold, method by method. */
export function MethodChart({ figures }: ChartProps) {
  const text = useTexts(DASHBOARD_TEXTS).overview;
  const money = useMoney(figures.currency);
  const methods = figures.methods.filter(({ paidMinor }) => paidMinor > 0);
  const most = Math.max(...methods.map(({ paidMinor }) => paidMinor));
  return (
    <RowChart
      id={`methods-${figures.currency}`}
      title={text.methodChart(figures.currency)}
      description={text.methodChartDescription}
      rows={methods.map((method) => ({
        name: methodText(method),
        value: money(method.paidMinor),
        part: method.paidMinor / most,
      }))}
    />
  );
}

/** How many attempts succeeded, method by method. */
export function RateChart({ figures }: ChartProps) {
  const text = useTexts(DASHBOARD_TEXTS).overview;
  return (
    <RowChart
      id={`rate-${figures.currency}`}
      title={text.rateChart(figures.currency)}
      description={text.rateChartDescription}
      rows={ratedMethods(figures).map((method) => ({
        name: methodText(method),
        value: `${rateIn(method.attempts.rateTenths)} (${countsText(method.attempts)})`,
        part: (method.attempts.rateTenths ?? 0) / 1_000,
      }))}
    />
  );
}

/** Bars that lie below each other; nothing without rows. */
function RowChart(props: {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly rows: readonly {
    readonly name: string;
    readonly value: string;
    /** From 0 to 1. */
    readonly part: number;
  }[];
}) {
  const { id, title, description, rows } = props;
  return rows.length === 0 ? null : (
    <Chart id={id} height={rows.length * ROW_HEIGHT} title={title} description={description}>
      {rows.map(({ name, value, part }, index) => {
        const top = index * ROW_HEIGHT + CAPTION_HEIGHT;
        return (
          <g>
            <text x={0} y={top - 3}>
              {name}
            </text>
            <text x={WIDTH} y={top - 3} text-anchor="end">
              {value}
            </text>
            <rect class="chart-ground" x={0} y={top + 2} width={WIDTH} height={ROW_BAR_HEIGHT} />
            <rect
              class="chart-bar"
              x={0}
              y={top + 2}
              width={round(WIDTH * part)}
              height={ROW_BAR_HEIGHT}
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
  /** How to read the picture, where its title does not say it. */
  readonly caption?: string | null;
  readonly children: preact.ComponentChildren;
}) {
  const { id, height, title, description, caption, children } = props;
  return (
    <figure class="chart">
      <figcaption aria-hidden="true">
        {title}
        {caption && <span class="quiet small"> {caption}</span>}
      </figcaption>
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

export function volumeTitle({ bars, currency }: CurrencyFigures): string {
  const text = useTexts(DASHBOARD_TEXTS).overview;
  const [first] = bars;
  const days = first === undefined ? 1 : first.toDay - first.fromDay + 1;
  return days === 1 ? text.volumeChart(currency) : text.volumeChartGrouped(currency, String(days));
}

/** A day, or the first and last of several. */
export function daysText({ fromDay, toDay }: FigureDays): string {
  const from = dateText(fromDay);
  return fromDay === toDay ? from : `${from} – ${dateText(toDay)}`;
}

/** An amount as an axis shows it, such as `12.5K`. */
function shortAmountText(amountMinor: number): string {
  const { locale } = useTexts(CHECKOUT_TEXTS);
  const format = { notation: 'compact', maximumSignificantDigits: 3 } as const;
  return new Intl.NumberFormat([locale, 'en-ET'], format).format(amountMinor / MINOR_PER_MAJOR);
}

/** A rate in percent, or that nothing has ended. */
export function rateIn(tenths: number | null): string {
  const text = useTexts(DASHBOARD_TEXTS).overview;
  return tenths === null ? text.nothingEnded : text.percent(rateText(tenths));
}

export function countsText({ succeeded, ended }: AttemptFigures): string {
  const { locale } = useTexts(CHECKOUT_TEXTS);
  return `${countText(succeeded, locale)}/${countText(ended, locale)}`;
}

/** Only attempts have a rate: payments without a method have none. */
function ratedMethods({ methods }: CurrencyFigures): readonly MethodFigures[] {
  return methods.filter(({ attempts }) => attempts.rateTenths !== null);
}

function barHeight(paidMinor: number, barMinorMax: number): number {
  return Math.max((VOLUME_HEIGHT * paidMinor) / barMinorMax, BAR_HEIGHT_MIN);
}

/** To tenths: smaller parts of a pixel are invisible and cost bytes. */
function round(length: number): number {
  return Math.round(length * 10) / 10;
}
