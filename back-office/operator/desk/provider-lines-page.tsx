import type { ItemPage } from '../../../src/control/operator/page-query.ts';
import { OUTCOMES, type Outcome, SETTLED } from '../../../src/control/provider-files/judge.ts';
import type { ProviderLine } from '../../../src/control/rpc/operator.ts';
import { Problem } from '../../../src/kit/http/problem.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { CHECKOUT_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { Badge, type BadgeTone, Fold, Untrusted, When } from '../../ui/elements.tsx';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { Money } from '../../ui/figures.tsx';
import { type DeskCall, useDesk } from './call.ts';
import { answerDesk, cursorIn, ListPage } from './frame.tsx';
import { PATHS, paymentPath, providerLinePath } from './paths.ts';

const ROWS = 50;

type Query = Readonly<Record<string, string>>;

/** What the address asks for. */
export interface Asked<Result> {
  readonly query: Query;
  /** Null when fields of the query are wrong. */
  readonly result: Result | null;
  readonly wrong: readonly string[];
}

/** Reads what the named fields of the address ask for. A form sends its empty fields, too. */
export async function readAsked<Result>(
  { url }: DeskCall,
  names: readonly string[],
  read: (query: Query) => Promise<Result>,
): Promise<Asked<Result>> {
  const given = [...url.searchParams].filter(([name, text]) => names.includes(name) && text !== '');
  const query = Object.fromEntries(given);
  try {
    return { query, result: await read(query), wrong: [] };
  } catch (error) {
    if (!(error instanceof Problem && error.validationErrors !== null)) {
      throw error;
    }
    return { query, result: null, wrong: Object.keys(error.validationErrors) };
  }
}

/** The first and the last day. */
export function DayFields({ query, wrong }: Pick<Asked<unknown>, 'query' | 'wrong'>) {
  const own = useTexts(DESK_TEXTS).pages.providerBoard;
  return (['from', 'to'] as const).map((name) => (
    <TextField
      id={name}
      label={own[name]}
      hint={name === 'from' ? own.daysHint : undefined}
      value={query[name] ?? ''}
      required={false}
      error={wrong.includes(name) ? own.daysHint : null}
    />
  ));
}

/** GET …/lines: lines of a method's files, and payments that have none, in the order of their days. */
export async function showLinesPage(call: DeskCall): Promise<Response> {
  const asked = await readAsked(call, ['from', 'to', 'outcome', 'open'], (query) =>
    call.payments.operator.providerLines(call.params, {
      ...query,
      ...cursorIn(call),
      limit: String(ROWS),
    }),
  );
  return answerDesk(call, <LinesPage {...asked} />);
}

function LinesPage({ result, ...asked }: Asked<ItemPage<ProviderLine>>) {
  const { pages: text } = useTexts(DESK_TEXTS);
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  const { params, url } = useDesk();
  const { environment = '', method = '' } = params;
  const own = text.providerBoard;
  const name = Object.entries(methodName).find(([known]) => known === method)?.[1] ?? method;
  return (
    <ListPage
      active="providerFiles"
      title={own.lines(name)}
      columns={[
        own.line,
        { title: text.amount, kind: 'figures' },
        own.outcome,
        text.payment,
        text.when,
      ]}
      rows={(result?.items ?? []).map((line) => [
        <a class="clipped" href={providerLinePath(environment, method, line.key)}>
          <Untrusted text={nameOf(line)} />
        </a>,
        <Money minor={line.amountMinor} currency={line.currency} />,
        <OutcomeMarks line={line} />,
        line.merchantId !== null && line.uniqueId !== null && (
          <a
            class="clipped"
            href={paymentPath({
              environment,
              merchantId: line.merchantId,
              uniqueId: line.uniqueId,
            })}
          >
            <Untrusted text={line.uniqueId} />
          </a>
        ),
        <When atMs={line.atMs} />,
      ])}
      empty={own.linesEmpty}
      nextCursor={result?.nextCursor ?? null}
      head={{
        back: {
          to: `${PATHS.providerFiles}?environment=${environment}`,
          text: text.nav.providerFiles,
        },
      }}
    >
      <Fold summary={own.filter} isOpen={asked.wrong.length > 0}>
        <form class="filters" method="get" action={url.pathname}>
          <SelectField
            id="outcome"
            label={own.outcome}
            options={[['', own.all], ...OUTCOMES.map((one) => [one, own.outcomes[one]] as const)]}
            selected={asked.query.outcome ?? ''}
          />
          <SelectField
            id="open"
            label={own.open}
            options={[
              ['no', own.all],
              ['yes', own.onlyOpen],
            ]}
            selected={asked.query.open ?? 'no'}
          />
          <DayFields {...asked} />
          <button type="submit">{own.show}</button>
        </form>
      </Fold>
    </ListPage>
  );
}

/** What people know a line by. */
export function nameOf({ receipt, reference, uniqueId, key }: ProviderLine): string {
  return receipt ?? reference ?? uniqueId ?? key;
}

/** What the line is, and whether an operator has decided about it. */
export function OutcomeMarks({ line }: { readonly line: ProviderLine }) {
  const own = useTexts(DESK_TEXTS).pages.providerBoard;
  const { outcome, decision } = line;
  return (
    <span class="marks">
      <Badge tone={decision === null ? toneOf(outcome) : 'plain'}>{own.outcomes[outcome]}</Badge>
      {decision !== null && <Badge tone="plain">{own.decided}</Badge>}
    </span>
  );
}

function toneOf(outcome: Outcome): BadgeTone {
  return SETTLED.includes(outcome) ? 'good' : 'bad';
}
