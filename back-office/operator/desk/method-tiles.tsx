import type { EnvironmentHealth, RailOutcome } from '../../../src/control/rpc/operator.ts';
import type { FailureReason } from '../../../src/engine/domain/attempt.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import type { DeskMessages } from '../../i18n/messages.ts';
import { CHECKOUT_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { Badge } from '../../ui/elements.tsx';
import { EmptyState } from '../../ui/layout.tsx';
import { ShareBar, Tile, Tiles } from './tiles.tsx';

/** Reasons for which customers did not pay although the method worked. */
const LEFT: readonly (FailureReason | null)[] = ['abandoned', 'canceled_by_customer'];

interface MethodHealth {
  readonly method: RailOutcome['method'];
  readonly paid: number;
  readonly failed: number;
  /** Customers who left, canceled, or let the payment expire. */
  readonly left: number;
}

function methodHealth(outcomes: readonly RailOutcome[]): readonly MethodHealth[] {
  const methods = [...new Set(outcomes.map(({ method }) => method))];
  const sumOf = (counted: readonly RailOutcome[]) =>
    counted.reduce((sum, { payments }) => sum + payments, 0);
  return methods.map((method) => {
    const own = outcomes.filter((outcome) => outcome.method === method);
    const paid = own.filter(({ status }) => status === 'succeeded');
    const failed = own.filter(isFailure);
    return {
      method,
      paid: sumOf(paid),
      failed: sumOf(failed),
      left: sumOf(own) - sumOf(paid) - sumOf(failed),
    };
  });
}

function isFailure({ status, failureReason }: RailOutcome): boolean {
  return status === 'failed' && !LEFT.includes(failureReason);
}

/** The paid share of the payments whose outcome the method decided; null without any. */
function rateOf({ paid, failed }: MethodHealth): number | null {
  return paid + failed === 0 ? null : paid / (paid + failed);
}

interface OfMethod {
  readonly week: MethodHealth;
  /** Since yesterday. */
  readonly now: MethodHealth | undefined;
}

/** The rate since yesterday, or else of the week. A method without a rate counts as 1. */
function worst({ now, week }: OfMethod): number {
  return (now && rateOf(now)) ?? rateOf(week) ?? 1;
}

/** A tile for each method of the week, those that fail most often first. */
export function MethodTiles(health: EnvironmentHealth) {
  const text = useTexts(DESK_TEXTS).pages;
  const recent = methodHealth(health.endsSinceYesterday);
  const methods = methodHealth(health.endsSinceWeek)
    .map((week) => ({ week, now: recent.find(({ method }) => method === week.method) }))
    .sort((one, other) => worst(one) - worst(other) || other.week.failed - one.week.failed);
  return methods.length === 0 ? (
    <EmptyState title={text.none} />
  ) : (
    <>
      <Tiles>
        {methods.map((method) => (
          <MethodTile {...method} health={health} />
        ))}
      </Tiles>
      <p class="quiet small">{text.rateHint}</p>
    </>
  );
}

function MethodTile({ week, now, health }: OfMethod & { readonly health: EnvironmentHealth }) {
  const text = useTexts(DESK_TEXTS).pages;
  const { locale, methodName } = useTexts(CHECKOUT_TEXTS);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const textOf = (rate: number | null) => (rate === null ? '—' : percent.format(rate));
  const rate = now === undefined ? null : rateOf(now);
  const failed = now?.failed ?? 0;
  const time = health.timesToPay.find(({ method }) => method === week.method);
  return (
    <Tile
      title={week.method === null ? text.noMethod : methodName[week.method]}
      value={textOf(rate)}
    >
      <ShareBar share={rate} mark={rateOf(week)} />
      <dl class="tile-figures">
        <Figure name={text.endings.failed}>
          {failed === 0 ? 0 : <Badge tone="bad">{failed}</Badge>}
        </Figure>
        <Figure name={text.endings.succeeded}>{now?.paid ?? 0}</Figure>
        <Figure name={text.left}>{now?.left ?? 0}</Figure>
        <Figure name={text.rateOfWeek}>{textOf(rateOf(week))}</Figure>
        <Figure name={text.timeToPay}>
          {time === undefined ? '—' : durationText(time.medianMs, text)}
        </Figure>
      </dl>
      <Reasons {...health} method={week.method} />
    </Tile>
  );
}

function Figure(props: { readonly name: string; readonly children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}

const MINUTE_MS = 60_000;

/** "95 s", "12 min". */
function durationText(ms: number, text: DeskMessages['pages']): string {
  return ms < 2 * MINUTE_MS
    ? text.seconds(String(Math.round(ms / 1_000)))
    : text.ageUnits.minutes(String(Math.round(ms / MINUTE_MS)));
}

/** Why payments by the method failed, and how often; the most frequent reason of the week first. */
function Reasons(props: EnvironmentHealth & Pick<MethodHealth, 'method'>) {
  const { endsSinceWeek, endsSinceYesterday, method } = props;
  const text = useTexts(DESK_TEXTS).pages;
  const failures = endsSinceWeek
    .filter((end) => end.method === method && isFailure(end))
    .sort((one, other) => other.payments - one.payments);
  return failures.length === 0 ? null : (
    <ul class="plain-list small">
      {failures.map((end) => (
        <li>
          {text.failedFor(
            end.failureReason === null ? text.unknown : text.reasons[end.failureReason],
            String(countOf(endsSinceYesterday, end)),
            String(end.payments),
          )}
        </li>
      ))}
    </ul>
  );
}

function countOf(outcomes: readonly RailOutcome[], wanted: RailOutcome): number {
  const same = outcomes.find(
    ({ method, status, failureReason }) =>
      method === wanted.method &&
      status === wanted.status &&
      failureReason === wanted.failureReason,
  );
  return same?.payments ?? 0;
}
