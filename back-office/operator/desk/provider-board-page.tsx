import { SETTLED } from '../../../src/control/provider-files/judge.ts';
import type { BoardRow } from '../../../src/control/rpc/operator.ts';
import { METHODS } from '../../../src/engine/domain/method.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { CHECKOUT_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { Fold, Section, Table } from '../../ui/elements.tsx';
import { Money } from '../../ui/figures.tsx';
import { EmptyState } from '../../ui/layout.tsx';
import { Navigation } from '../../ui/page.tsx';
import { Age } from './attention-page.tsx';
import type { DeskCall } from './call.ts';
import { answerDesk, Frame } from './frame.tsx';
import { PATHS, providerLinesPath, providerPath } from './paths.ts';
import { type Asked, DayFields, readAsked } from './provider-lines-page.tsx';

/** GET /operator/provider-files: what providers say they took, by day and method. */
export async function showBoardPage(call: DeskCall): Promise<Response> {
  const environment = call.url.searchParams.get('environment') ?? 'production';
  const asked = await readAsked(call, ['from', 'to'], (query) =>
    call.payments.operator.providerBoard({ environment }, query),
  );
  return answerDesk(call, <BoardPage environment={environment} {...asked} />);
}

function BoardPage(props: Asked<readonly BoardRow[]> & { readonly environment: string }) {
  const { environment, result } = props;
  const { pages: text } = useTexts(DESK_TEXTS);
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  const own = text.providerBoard;
  const days = [...new Set(result?.map(({ day }) => day))];
  return (
    <Frame active="providerFiles" title={text.nav.providerFiles}>
      <p>{own.lead}</p>
      <Navigation
        class="tabs"
        label={text.environmentLabel}
        links={(['production', 'sandbox'] as const).map((one) => ({
          href: `${PATHS.providerFiles}?${new URLSearchParams({ ...props.query, environment: one })}`,
          text: text.environment[one],
          isCurrent: one === environment,
        }))}
      />
      <Fold summary={own.days} isOpen={props.wrong.length > 0}>
        <form class="filters" method="get" action={PATHS.providerFiles}>
          <input type="hidden" name="environment" value={environment} />
          <DayFields {...props} />
          <button type="submit">{own.show}</button>
        </form>
      </Fold>
      <div>
        <p class="small">{own.upload}</p>
        <Navigation
          class="chips"
          label={own.upload}
          links={METHODS.map((method) => ({
            href: providerPath(environment, method),
            text: methodName[method],
            isCurrent: false,
          }))}
        />
      </div>
      {result?.length === 0 && <EmptyState title={own.empty} />}
      {days.map((day) => (
        <Section id={`day-${day}`} title={day}>
          <DayTable
            day={day}
            environment={environment}
            rows={result?.filter((row) => row.day === day) ?? []}
          />
        </Section>
      ))}
    </Frame>
  );
}

function DayTable(props: {
  readonly day: string;
  readonly environment: string;
  readonly rows: readonly BoardRow[];
}) {
  const { day, environment, rows } = props;
  const { pages: text } = useTexts(DESK_TEXTS);
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  const own = text.providerBoard;
  const figures = (title: string) => ({ title, kind: 'figures' as const });
  return (
    <Table
      caption={day}
      columns={[
        text.method,
        figures(own.expected),
        figures(own.arrived),
        figures(own.missing),
        own.different,
        own.compared,
      ]}
      rows={rows.map((row) => {
        const { method, currency, expected, arrivedMinor, missing, comparedAtMs } = row;
        const pathTo = (query: Readonly<Record<string, string>>) =>
          providerLinesPath(environment, method, { ...query, from: day, to: day });
        const different = row.outcomes.filter(
          ({ outcome, isDecided }) =>
            !(isDecided || SETTLED.includes(outcome) || outcome === 'missing'),
        );
        return [
          methodName[method],
          expected === null ? (
            <span class="quiet">{own.notCompared}</span>
          ) : (
            <span>
              <Money minor={expected.amountMinor} currency={currency} />{' '}
              <span class="quiet small">{own.payments(expected.payments)}</span>
            </span>
          ),
          <a href={pathTo({})}>
            <Money minor={arrivedMinor} currency={currency} />
          </a>,
          missing.lines === 0 ? (
            <span class="quiet">{text.none}</span>
          ) : (
            <a href={pathTo({ outcome: 'missing', open: 'yes' })}>
              <Money minor={missing.amountMinor} currency={currency} />{' '}
              <span class="small">{own.payments(missing.lines)}</span>
            </a>
          ),
          different.length === 0 ? (
            <span class="quiet">{text.none}</span>
          ) : (
            <div>
              {different.map(({ outcome, lines, amountMinor }) => (
                <div>
                  <a href={pathTo({ outcome, open: 'yes' })}>
                    {own.outcomes[outcome]} ({lines})
                  </a>{' '}
                  <Money minor={amountMinor} currency={currency} />
                </div>
              ))}
            </div>
          ),
          comparedAtMs === null ? <span class="quiet">—</span> : <Age atMs={comparedAtMs} />,
        ];
      })}
      empty={text.none}
    />
  );
}
