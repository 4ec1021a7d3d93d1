import type {
  EnvironmentHealth,
  Health,
  RailOutcome,
} from '../../../src/control/rpc/operations.ts';
import type { FailureReason } from '../../../src/engine/domain/attempt.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import type { DeskMessages } from '../../i18n/messages.ts';
import { CHECKOUT_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import { Badge, Facts, Table, When } from '../../ui/elements.tsx';
import { type DeskCall, useDesk } from './call.ts';
import { answerDesk, Frame } from './frame.tsx';
import { ModesSection } from './modes.tsx';
import { PATHS } from './paths.ts';

/** POST /operator/health/refresh: the books report now. */
export async function refreshFromDesk(call: DeskCall): Promise<Response> {
  await call.payments.operations.refreshHealth();
  return redirectTo(PATHS.health);
}

/** GET /operator/health: the gateway's health. */
export async function showHealthPage(call: DeskCall): Promise<Response> {
  const health = await call.payments.operations.readHealth();
  return answerDesk(call, <HealthPage {...health} />);
}

function HealthPage(health: Health) {
  const text = useTexts(DESK_TEXTS).pages;
  return (
    <Frame
      active="health"
      title={text.nav.health}
      head={{
        actions: (
          <form method="post" action={`${PATHS.health}/refresh`} data-once="">
            <input type="hidden" name="csrf" value={useDesk().token} />
            <button type="submit">{text.refresh}</button>
          </form>
        ),
      }}
    >
      <ModesSection />
      <Rails {...health} />
      {health.environments.map((environment) => (
        <Environment {...environment} />
      ))}
      <Queues {...health} />
      <Facts
        rows={[
          [text.d1, `${health.d1Ms} ${text.milliseconds}`],
          [text.d1Size, <DatabaseSize {...health} />],
          [text.lastBackup, <LastBackup {...health} />],
          [text.lastMembersBackup, <LastRun atMs={health.backup.membersFinishedAtMs} />],
          [text.lostBooks, <LostBooks {...health} />],
        ]}
      />
    </Frame>
  );
}

function DatabaseSize({ d1SizeBytes, d1SizeBytesMax, d1IsNearlyFull }: Health) {
  const text = useTexts(DESK_TEXTS).pages;
  const percent = Math.floor((100 * d1SizeBytes) / d1SizeBytesMax);
  const size = text.sizeOf((d1SizeBytes / 1e9).toFixed(2), d1SizeBytesMax / 1e9, percent);
  return d1IsNearlyFull ? (
    <span class="beside">
      {size} <Badge tone="bad">{text.nearlyFull}</Badge>
    </span>
  ) : (
    size
  );
}

function LastBackup({ backup }: Health) {
  const text = useTexts(DESK_TEXTS).pages;
  const { finishedAtMs, failingBooks } = backup;
  return (
    <span class="beside">
      <LastRun atMs={finishedAtMs} />
      {failingBooks > 0 && <Badge tone="bad">{text.failingBooks(failingBooks)}</Badge>}
    </span>
  );
}

function LostBooks({ lostBooks }: Health) {
  const text = useTexts(DESK_TEXTS).pages;
  return lostBooks.length === 0 ? (
    <>{text.none}</>
  ) : (
    <a class="beside" href={PATHS.attention}>
      <Badge tone="bad">{lostBooks.length}</Badge>
    </a>
  );
}

function LastRun({ atMs }: { readonly atMs: number | null }) {
  const text = useTexts(DESK_TEXTS).pages;
  return atMs === null ? <>{text.none}</> : <When atMs={atMs} />;
}

function Queues({ queues, deadLetters }: Health) {
  const text = useTexts(DESK_TEXTS).pages;
  const rows = queues.map(({ queue, backlog, oldestAtMs }) => {
    const dead = deadLetters[queue] ?? 0;
    return [
      queue,
      backlog ?? text.unknown,
      oldestAtMs === null ? text.none : <When atMs={oldestAtMs} />,
      dead === 0 ? text.none : <Badge tone="bad">{dead}</Badge>,
    ];
  });
  return (
    <section class="part">
      <h2>{text.queues}</h2>
      <Table
        caption={text.queues}
        columns={[text.queue, text.backlog, text.oldest, text.deadLetters]}
        rows={rows}
        empty={text.none}
      />
      <p>
        <a href={PATHS.attention}>{text.needed}</a>
      </p>
    </section>
  );
}

function Rails({ misconfiguredRails: rails }: Health) {
  const text = useTexts(DESK_TEXTS).pages;
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  return rails.length === 0 ? null : (
    <section class="part">
      <h2>{text.rails}</h2>
      <Table
        caption={text.rails}
        columns={[text.where, text.method, text.problem]}
        rows={rails.map(({ environment, method, problem }) => [
          text.environment[environment],
          methodName[method],
          problem,
        ])}
        empty={text.none}
      />
    </section>
  );
}

function Environment(health: EnvironmentHealth) {
  const text = useTexts(DESK_TEXTS).pages;
  const oldest = health.oldestUndelivered;
  const states: Readonly<Record<string, string>> = text.eventStates;
  return (
    <section class="part">
      <h2>{text.environment[health.environment]}</h2>
      {health.reportedAtMs !== null && (
        <p class="quiet small">
          {text.reported} <When atMs={health.reportedAtMs} />
        </p>
      )}
      <h3>{text.ends}</h3>
      <Methods {...health} />
      <FailureReasons {...health} />
      <h3>{text.events}</h3>
      <Table
        caption={text.events}
        columns={[text.state, text.count]}
        rows={Object.entries(health.eventsByStatus).map(([status, count]) => [
          states[status] ?? status,
          count,
        ])}
        empty={text.none}
      />
      {oldest !== null && (
        <Facts
          rows={[
            [
              text.oldestUndelivered,
              <>
                {oldest.merchantId} {oldest.uniqueId}, <When atMs={oldest.createdAtMs} />
              </>,
            ],
          ]}
        />
      )}
    </section>
  );
}

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

/** One row for each method of the week, those that fail most often first. */
function Methods({ endsSinceWeek, endsSinceYesterday, timesToPay }: EnvironmentHealth) {
  const text = useTexts(DESK_TEXTS).pages;
  const { locale, methodName } = useTexts(CHECKOUT_TEXTS);
  const recent = methodHealth(endsSinceYesterday);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const rateText = (health: MethodHealth | undefined) => {
    const rate = health === undefined ? null : rateOf(health);
    return rate === null ? '—' : percent.format(rate);
  };
  const rows = methodHealth(endsSinceWeek)
    .map((week) => ({ week, now: recent.find(({ method }) => method === week.method) }))
    .sort((one, other) => worst(one) - worst(other) || other.week.failed - one.week.failed)
    .map(({ week, now }) => {
      const time = timesToPay.find(({ method }) => method === week.method);
      return [
        week.method === null ? text.noMethod : methodName[week.method],
        now === undefined || now.failed === 0 ? 0 : <Badge tone="bad">{now.failed}</Badge>,
        now?.paid ?? 0,
        now?.left ?? 0,
        rateText(now),
        rateText(week),
        time === undefined ? '—' : durationText(time.medianMs, text),
      ];
    });
  const titles = [
    text.endings.failed,
    text.endings.succeeded,
    text.left,
    text.rate,
    text.rateOfWeek,
    text.timeToPay,
  ];
  return (
    <>
      <Table
        caption={text.ends}
        columns={[text.method, ...titles.map((title) => ({ title, kind: 'figures' as const }))]}
        rows={rows}
        empty={text.none}
      />
      {rows.length > 0 && <p class="quiet small">{text.rateHint}</p>}
    </>
  );
}

const MINUTE_MS = 60_000;

/** "95 s", "12 min". */
function durationText(ms: number, text: DeskMessages['pages']): string {
  return ms < 2 * MINUTE_MS
    ? text.seconds(String(Math.round(ms / 1_000)))
    : text.ageUnits.minutes(String(Math.round(ms / MINUTE_MS)));
}

/** The rate since yesterday, or else of the week. A method without a rate counts as 1. */
function worst(row: { readonly now: MethodHealth | undefined; readonly week: MethodHealth }) {
  return (row.now && rateOf(row.now)) ?? rateOf(row.week) ?? 1;
}

/** Why payments failed, and how often; the most frequent reason of the week first. */
function FailureReasons({ endsSinceWeek, endsSinceYesterday }: EnvironmentHealth) {
  const text = useTexts(DESK_TEXTS).pages;
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  const failures = endsSinceWeek
    .filter(isFailure)
    .sort((one, other) => other.payments - one.payments);
  return failures.length === 0 ? null : (
    <Table
      caption={text.endings.failed}
      columns={[
        text.why,
        text.method,
        { title: text.sinceYesterday, kind: 'figures' },
        { title: text.sinceWeek, kind: 'figures' },
      ]}
      rows={failures.map((end) => [
        end.failureReason === null ? text.none : text.reasons[end.failureReason],
        end.method === null ? text.noMethod : methodName[end.method],
        countOf(endsSinceYesterday, end),
        end.payments,
      ])}
      empty={text.none}
    />
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
