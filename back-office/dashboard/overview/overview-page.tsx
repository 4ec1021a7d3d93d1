import { businessDay } from '../../../src/domain/ethiopian-time.ts';
import { countText } from '../../../src/i18n/money-text.ts';
import type { Overview } from '../../../src/interface/lists.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { answerPage } from '../../ui/answer.ts';
import { Message } from '../../ui/elements.tsx';
import { type DashboardCall, tenantOf } from '../call.ts';
import { CalendarSwitch, DatePresets } from '../date-fields.tsx';
import { type DaysForm, dayField, dayFrom, dayText, readDays } from '../days.ts';
import { Frame } from '../frame.tsx';
import { DaysProblem, daysFields, FilterForm } from '../list.tsx';
import { overviewPath, paymentsPath, queryFrom, webhooksPath } from '../paths.ts';
import { FirstPayment } from '../payments/first-payment.tsx';
import { AccessNotice, undismissedChanges } from './access-notice.tsx';
import { daysPerBar, type FigureDays, figureDays, figuresOf } from './figures.ts';
import { FiguresSection } from './figures-section.tsx';

/** GET …/overview: what needs attention, and the figures of a range of days. */
export async function showOverview(call: DashboardCall): Promise<Response> {
  const textOf = (name: string) => call.url.searchParams.get(name)?.trim() ?? '';
  const form = readDays(dayField(textOf, 'since'), dayField(textOf, 'until'));
  const days =
    form.problem === null
      ? figureDays(dayFrom(form.from), dayFrom(form.to), businessDay(call.nowMs))
      : null;
  const daysEach = days === null ? 1 : daysPerBar(days);
  const [changes, shown] = await Promise.all([
    undismissedChanges(call),
    call.payments.lists.overview(tenantOf(call), days, daysEach),
  ]);
  const { failing, hasPayments, totals, attempts } = shown;
  const page = (
    <Frame call={call} title={DASHBOARD_TEXTS[call.language].overview.title} active="overview">
      <AccessNotice call={call} changes={changes} />
      {failing.map((one) => (
        <EndpointNotice call={call} of={one} />
      ))}
      {hasPayments ? (
        <>
          <RangeForm call={call} form={form} />
          {form.problem === null && (
            <>
              <FiguresSection
                call={call}
                days={days}
                figures={days === null ? [] : figuresOf(totals, attempts, days)}
              />
              {days !== null && <ToPayments call={call} days={days} />}
            </>
          )}
        </>
      ) : (
        <FirstPayment call={call} apiOrigin={shown.apiOrigin} />
      )}
    </Frame>
  );
  return answerPage(call, page, { status: form.problem === null ? 200 : 400 });
}

/** Webhooks that do not arrive concern every member, so the home page says it. */
function EndpointNotice(props: {
  readonly call: DashboardCall;
  readonly of: Overview['failing'][number];
}) {
  const { call, of } = props;
  const { overview: text, frame } = DASHBOARD_TEXTS[call.language];
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

function RangeForm({ call, form }: { readonly call: DashboardCall; readonly form: DaysForm }) {
  const { overview: text, payments } = DASHBOARD_TEXTS[call.language];
  const { from, to, problem } = form;
  const days = { call, days: form, names: ['since', 'until'] } as const;
  const { since, until } = payments.field;
  const fields = daysFields(days, { from: since, to: until });
  return (
    <div class="list-tools">
      <DatePresets
        call={call}
        from={from}
        to={to}
        byDefault="month"
        pathTo={(first, last) =>
          overviewPath(call.environment, queryFrom({ since: first, until: last }))
        }
      />
      <DaysProblem {...days} />
      <details class="panel" open={problem !== null}>
        <summary>{text.otherDates}</summary>
        <FilterForm call={call} action={overviewPath(call.environment)} fields={fields}>
          <button type="submit">{text.show}</button>
        </FilterForm>
        <CalendarSwitch call={call} />
      </details>
    </div>
  );
}

function ToPayments({ call, days }: { readonly call: DashboardCall; readonly days: FigureDays }) {
  const query = queryFrom({ since: dayText(days.fromDay), until: dayText(days.toDay) });
  return (
    <p>
      <a class="button" href={paymentsPath(call.environment, query)}>
        {DASHBOARD_TEXTS[call.language].overview.toPayments}
      </a>
    </p>
  );
}
