import type { EnvironmentHealth, Health, RailOutcome } from '../../../src/interface/operations.ts';
import { useTexts } from '../../../src/ui/texts.ts';
import { CHECKOUT_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import { Badge, Facts, Table, When } from '../../ui/elements.tsx';
import { type DeskCall, useDesk } from './call.ts';
import { answerDesk, Frame } from './frame.tsx';
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
    <Frame active="health" title={text.nav.health}>
      <Facts
        rows={[
          [text.d1, `${health.d1Ms} ${text.milliseconds}`],
          [text.d1Size, <DatabaseSize {...health} />],
        ]}
      />
      <Queues {...health} />
      <Rails {...health} />
      <form method="post" action={`${PATHS.health}/refresh`} data-once="">
        <input type="hidden" name="csrf" value={useDesk().token} />
        <button type="submit">{text.refresh}</button>
      </form>
      {health.environments.map((environment) => (
        <Environment {...environment} />
      ))}
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
      <h3>{text.ends}</h3>
      <Ends {...health} />
    </section>
  );
}

/** One row for each method, final status and reason of the week, and the count since yesterday. */
function Ends({ endsSinceWeek, endsSinceYesterday }: EnvironmentHealth) {
  const text = useTexts(DESK_TEXTS).pages;
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  const rows = endsSinceWeek.map((end) => [
    end.method === null ? text.noMethod : methodName[end.method],
    text.endings[end.status],
    end.failureReason === null ? text.none : text.reasons[end.failureReason],
    countOf(endsSinceYesterday, end),
    end.payments,
  ]);
  return (
    <Table
      caption={text.ends}
      columns={[text.method, text.ended, text.why, text.sinceYesterday, text.sinceWeek]}
      rows={rows}
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
