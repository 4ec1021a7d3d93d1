import { businessDay } from '../../../src/domain/ethiopian-time.ts';
import { countText } from '../../../src/i18n/money-text.ts';
import type { Overview } from '../../../src/interface/lists.ts';
import { useTexts } from '../../../src/ui/texts.ts';
import type { AccessChanges } from '../../audit.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Message } from '../../ui/elements.tsx';
import { type DashboardCall, tenantOf, useCall } from '../call.ts';
import { CalendarSwitch, DatePresets } from '../date-fields.tsx';
import { type DaysForm, dayFrom, daysIn, dayText } from '../days.ts';
import { Frame, showPage } from '../frame.tsx';
import { daysFields, daysProblems, FilterForm } from '../list.tsx';
import { overviewPath, paymentsPath, queryFrom, webhooksPath } from '../paths.ts';
import { FirstPayment } from '../payments/first-payment.tsx';
import { AccessNotice, undismissedChanges } from './access-notice.tsx';
import { daysPerBar, type FigureDays, figureDays, figuresOf } from './figures.ts';
import { FiguresSection } from './figures-section.tsx';

const DAY_NAMES = { from: 'since', to: 'until' } as const;

/** GET …/overview: what needs attention, and the figures of a range of days. */
export async function showOverview(call: DashboardCall): Promise<Response> {
  const form = daysIn(call.url.searchParams, DAY_NAMES);
  const days =
    form.problem === null
      ? figureDays(dayFrom(form.from), dayFrom(form.to), businessDay(call.nowMs))
      : null;
  const daysEach = days === null ? 1 : daysPerBar(days);
  const [changes, shown] = await Promise.all([
    undismissedChanges(call),
    call.payments.lists.overview(tenantOf(call), days, daysEach),
  ]);
  const page = <OverviewPage {...{ form, days, changes, shown }} />;
  return showPage(call, page, { problems: daysProblems(call, form, DAY_NAMES) });
}

function OverviewPage(props: {
  readonly form: DaysForm;
  readonly days: FigureDays | null;
  readonly changes: AccessChanges;
  readonly shown: Overview;
}) {
  const { form, days, changes, shown } = props;
  const { environment } = useCall();
  const text = useTexts(DASHBOARD_TEXTS).overview;
  const { totals, attempts } = shown;
  return (
    <Frame title={text.title} active="overview">
      <AccessNotice changes={changes} />
      {shown.failing.map((one) => (
        <EndpointNotice of={one} />
      ))}
      {shown.hasPayments ? (
        <>
          <RangeForm form={form} />
          {form.problem === null && (
            <FiguresSection
              days={days}
              figures={days === null ? [] : figuresOf(totals, attempts, days)}
            />
          )}
          {days !== null && (
            <p>
              <a class="button" href={paymentsPath(environment, queryOf(days))}>
                {text.toPayments}
              </a>
            </p>
          )}
        </>
      ) : (
        <FirstPayment apiOrigin={shown.apiOrigin} />
      )}
    </Frame>
  );
}

function queryOf({ fromDay, toDay }: FigureDays): string {
  return queryFrom({ since: dayText(fromDay), until: dayText(toDay) });
}

/** Webhooks that do not arrive concern every member, so the home page says it. */
function EndpointNotice(props: { readonly of: Overview['failing'][number] }) {
  const { of } = props;
  const { overview: text, frame } = useTexts(DASHBOARD_TEXTS);
  const paused = of.endpoints.filter(({ pausedAtMs }) => pausedAtMs !== null).length;
  const failing = of.endpoints.length - paused;
  const name = frame.environment[of.environment];
  const count = (endpoints: number) => countText(endpoints, frame.locale);
  return of.endpoints.length === 0 ? null : (
    <Message tone={paused > 0 ? 'bad' : 'warning'}>
      {paused > 0 && <p>{text.pausedEndpoints(count(paused), name)}</p>}
      {failing > 0 && <p>{text.failingEndpoints(count(failing), name)}</p>}
      <p>
        <a href={webhooksPath(of.environment)}>{text.toWebhooks}</a>
      </p>
    </Message>
  );
}

function RangeForm({ form }: { readonly form: DaysForm }) {
  const call = useCall();
  const { overview: text, payments } = useTexts(DASHBOARD_TEXTS);
  const { from, to, problem } = form;
  const { since, until } = payments.field;
  const fields = daysFields(form, DAY_NAMES, { from: since, to: until });
  return (
    <div class="list-tools">
      <DatePresets
        from={from}
        to={to}
        byDefault="month"
        pathTo={(first, last) =>
          overviewPath(call.environment, queryFrom({ since: first, until: last }))
        }
      />
      <details class="panel" open={problem !== null}>
        <summary>{text.otherDates}</summary>
        <FilterForm action={overviewPath(call.environment)} fields={fields}>
          <button type="submit">{text.show}</button>
        </FilterForm>
        <CalendarSwitch />
      </details>
    </div>
  );
}
