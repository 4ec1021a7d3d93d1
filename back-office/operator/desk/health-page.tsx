import type { VNode } from 'preact';
import type { EnvironmentHealth, Health } from '../../../src/control/rpc/operator.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { CHECKOUT_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import { Badge, Fold, Section, Untrusted, When } from '../../ui/elements.tsx';
import { type DeskCall, useDesk } from './call.ts';
import { answerDesk, Frame } from './frame.tsx';
import { MethodTiles } from './method-tiles.tsx';
import { ModesSection } from './modes.tsx';
import { PATHS, paymentPath } from './paths.ts';
import { ShareBar, Tile, type TileProps, Tiles } from './tiles.tsx';

/** POST /operator/health/refresh: the books report now. */
export async function refreshFromDesk(call: DeskCall): Promise<Response> {
  await call.payments.operator.refreshHealth();
  return redirectTo(PATHS.health);
}

/** GET /operator/health: the gateway's health. */
export async function showHealthPage(call: DeskCall): Promise<Response> {
  const health = await call.payments.operator.readHealth();
  return answerDesk(call, <HealthPage {...health} />);
}

/** What is wrong comes first, then how payments end, then what is well. */
function HealthPage(health: Health) {
  const text = useTexts(DESK_TEXTS).pages;
  const tiles = useGatewayTiles(health);
  const [production, ...others] = health.environments;
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
      <TileSection id="wrong" title={text.nav.attention} tiles={tiles.filter(({ isBad }) => isBad)}>
        <p>
          <a href={PATHS.attention}>{text.needed}</a>
        </p>
      </TileSection>
      {production !== undefined && (
        <Section id="production" title={text.environment.production} class="part">
          <Environment {...production} />
        </Section>
      )}
      <TileSection id="gateway" title={text.gateway} tiles={tiles.filter(({ isBad }) => !isBad)} />
      {others.map((environment) => (
        <Fold summary={text.environment[environment.environment]}>
          <Environment {...environment} />
        </Fold>
      ))}
      <ModesSection />
    </Frame>
  );
}

function TileSection(props: {
  readonly id: string;
  readonly title: string;
  readonly tiles: readonly TileProps[];
  readonly children?: VNode;
}) {
  const { id, title, tiles, children } = props;
  return tiles.length === 0 ? null : (
    <Section id={id} title={title} class="part">
      <Tiles>
        {tiles.map((tile) => (
          <Tile {...tile} />
        ))}
      </Tiles>
      {children}
    </Section>
  );
}

/** One tile for each part of the gateway. */
function useGatewayTiles(health: Health): readonly TileProps[] {
  const text = useTexts(DESK_TEXTS).pages;
  const { backup, lostBooks, d1Ms, d1SizeBytes, d1SizeBytesMax, d1IsNearlyFull } = health;
  const { failingBooks, finishedAtMs, membersFinishedAtMs } = backup;
  const fullShare = d1SizeBytes / d1SizeBytesMax;
  const isLost = lostBooks.length > 0;
  return [
    ...useRailTiles(health),
    {
      title: text.lostBooks,
      value: isLost ? <Badge tone="bad">{lostBooks.length}</Badge> : 0,
      isBad: isLost,
    },
    ...useQueueTiles(health),
    {
      title: text.lastBackup,
      isBad: failingBooks > 0,
      children: (
        <p class="beside">
          <LastRun atMs={finishedAtMs} />
          {failingBooks > 0 && <Badge tone="bad">{text.failingBooks(failingBooks)}</Badge>}
        </p>
      ),
    },
    {
      title: text.lastMembersBackup,
      children: (
        <p>
          <LastRun atMs={membersFinishedAtMs} />
        </p>
      ),
    },
    { title: text.d1, value: `${d1Ms} ${text.milliseconds}` },
    {
      title: text.d1Size,
      value: `${Math.floor(100 * fullShare)} %`,
      isBad: d1IsNearlyFull,
      children: (
        <>
          <ShareBar share={fullShare} />
          <p class="beside small">
            {text.sizeOf((d1SizeBytes / 1e9).toFixed(2), d1SizeBytesMax / 1e9)}
            {d1IsNearlyFull && <Badge tone="bad">{text.nearlyFull}</Badge>}
          </p>
        </>
      ),
    },
  ];
}

function LastRun({ atMs }: { readonly atMs: number | null }) {
  const text = useTexts(DESK_TEXTS).pages;
  return atMs === null ? text.none : <When atMs={atMs} />;
}

function useQueueTiles({ queues, deadLetters }: Health): readonly TileProps[] {
  const text = useTexts(DESK_TEXTS).pages;
  return queues.map(({ queue, backlog, oldestAtMs }) => {
    const dead = deadLetters[queue] ?? 0;
    return {
      title: queue,
      value: backlog ?? '—',
      isBad: dead > 0,
      children: (
        <p class="beside small">
          {backlog === null ? text.unknown : text.messages(backlog)}
          {oldestAtMs !== null && (
            <span>
              {text.oldest}: <When atMs={oldestAtMs} />
            </span>
          )}
          {dead > 0 && (
            <Badge tone="bad">
              {text.deadLetters}: {dead}
            </Badge>
          )}
        </p>
      ),
    };
  });
}

function useRailTiles({ misconfiguredRails }: Health): readonly TileProps[] {
  const text = useTexts(DESK_TEXTS).pages;
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  return misconfiguredRails.map(({ environment, method, problem }) => ({
    title: methodName[method],
    isBad: true,
    children: (
      <>
        <p class="beside small">
          <Badge tone="bad">{text.railStates.misconfigured}</Badge>
          {text.environment[environment]}
        </p>
        <p class="small" lang="en">
          {problem}
        </p>
      </>
    ),
  }));
}

function Environment(health: EnvironmentHealth) {
  const text = useTexts(DESK_TEXTS).pages;
  return (
    <div class="part">
      {health.reportedAtMs !== null && (
        <p class="quiet small">
          {text.reported} <When atMs={health.reportedAtMs} />
        </p>
      )}
      <MethodTiles {...health} />
      <Tiles>
        <UndeliveredTile {...health} />
      </Tiles>
    </div>
  );
}

/** How many events have not arrived, by their state, and which has waited longest. */
function UndeliveredTile(health: EnvironmentHealth) {
  const { environment, eventsByStatus, oldestUndelivered: oldest } = health;
  const text = useTexts(DESK_TEXTS).pages;
  const states: Readonly<Record<string, string>> = text.eventStates;
  const counts = Object.entries(eventsByStatus);
  return (
    <Tile title={text.events} value={counts.reduce((sum, [, count]) => sum + count, 0)}>
      {counts.length > 0 && (
        <ul class="plain-list small">
          {counts.map(([status, count]) => (
            <li>
              {states[status] ?? status}: {count}
            </li>
          ))}
        </ul>
      )}
      {oldest !== null && (
        <p class="small">
          {text.oldest}: <When atMs={oldest.createdAtMs} />,{' '}
          <a class="clipped" href={paymentPath({ ...oldest, environment })}>
            <Untrusted text={`${oldest.merchantId} ${oldest.uniqueId}`} />
          </a>
        </p>
      )}
    </Tile>
  );
}
