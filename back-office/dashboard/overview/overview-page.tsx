import type { Overview } from '../../../src/control/rpc/lists.ts';
import { dayText } from '../../../src/kit/ethiopian-time.ts';
import { countText } from '../../../src/kit/i18n/money-text.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import type { AccessChanges } from '../../audit.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Message, When } from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { type DashboardCall, tenantOf, useCall } from '../call.ts';
import { CalendarSwitch, DatePresets } from '../date-fields.tsx';
import type { DaysForm } from '../days.ts';
import { Frame, showPage } from '../frame.tsx';
import { daysFields, daysProblems, FilterForm } from '../list.tsx';
import { overviewPath, paymentsPath, queryFrom, webhooksPath } from '../paths.ts';
import { FirstPayment, type FirstSteps, firstSteps } from '../payments/first-payment.tsx';
import { AccessNotice, undismissedChanges } from './access-notice.tsx';
import { daysPerBar, type FigureDays, figuresOf, trendDays } from './figures.ts';
import { FiguresSection } from './figures-section.tsx';
import { DAY_NAMES, readRange } from './range.ts';
import { StatementSection } from './statement-section.tsx';
import { TodaySection } from './today-section.tsx';

/** GET …/overview: what needs attention, and the figures of a range of days. */
export async function showOverview(call: DashboardCall): Promise<Response> {
  const { form, days } = readRange(call);
  const trend = days === null ? null : trendDays(days);
  const range =
    days === null || trend === null ? null : { days, trend, daysEach: daysPerBar(trend) };
  const [changes, shown] = await Promise.all([
    undismissedChanges(call),
    call.payments.lists.overview(tenantOf(call), range),
  ]);
  const steps = shown.hasPayments ? null : await firstSteps(call);
  const page = <OverviewPage {...{ form, days, changes, shown, steps }} />;
  return showPage(call, page, { problems: daysProblems(call, form, DAY_NAMES) });
}

function OverviewPage(props: {
  readonly form: DaysForm;
  readonly days: FigureDays | null;
  readonly changes: AccessChanges;
  readonly shown: Overview;
  readonly steps: FirstSteps | null;
}) {
  const { form, days, changes, shown, steps } = props;
  const { environment } = useCall();
  const text = useTexts(DASHBOARD_TEXTS).overview;
  return (
    <Frame title={text.title} active="overview">
      <AccessNotice changes={changes} />
      {shown.notWorking.map((one) => (
        <MethodNotice {...one} />
      ))}
      {shown.failing
        // Production shows only its own endpoints, which affect money. The sandbox shows both.
        .filter((one) => environment === 'sandbox' || one.environment === environment)
        .map((one) => (
          <EndpointNotice of={one} />
        ))}
      {shown.hasPayments ? (
        <>
          {days !== null && <DaysFigures form={form} days={days} shown={shown} />}
          {days === null && <RangeForm form={form} />}
          {days === null && form.problem === null && <p>{text.tooLong}</p>}
        </>
      ) : (
        <FirstPayment apiOrigin={shown.apiOrigin} steps={steps} />
      )}
    </Frame>
  );
}

/** Without chosen days, today; then the money of the days, and how they went. */
function DaysFigures(props: {
  readonly form: DaysForm;
  readonly days: FigureDays;
  readonly shown: Overview;
}) {
  const { environment } = useCall();
  const { form, days, shown } = props;
  const text = useTexts(DASHBOARD_TEXTS).overview;
  const figures = figuresOf(shown.totals, shown.attempts, days, trendDays(days));
  const isHome = form.from === '' && form.to === '' && figures.length > 0;
  return (
    <>
      {isHome && <TodaySection day={days.toDay} figures={figures} />}
      <RangeForm form={form} />
      <StatementSection days={days} figures={figures} />
      {figures.length > 0 && (
        <>
          <FiguresSection days={days} figures={figures} hasTrend={isHome} />
          <p>
            <a class="button" href={paymentsPath(environment, queryOf(days))}>
              {text.toPayments}
            </a>
          </p>
        </>
      )}
    </>
  );
}

function queryOf({ fromDay, toDay }: FigureDays): string {
  return queryFrom({ since: dayText(fromDay), until: dayText(toDay) });
}

/** The members' customers ask why, so the home page says it. */
function MethodNotice({ method, why, sinceMs, text: words }: Overview['notWorking'][number]) {
  const text = useTexts(DASHBOARD_TEXTS).overview;
  const name = useTexts(CHECKOUT_TEXTS).methodName[method];
  return (
    <Message tone="warning">
      <p>
        {why === 'off' ? text.methodOff(name) : text.methodDown(name)} <When atMs={sinceMs} />
      </p>
      {words !== null && (
        <p>
          <bdi>{shownText(words)}</bdi>
        </p>
      )}
    </Message>
  );
}

/** Webhooks that do not arrive concern every member, so the home page says it. */
function EndpointNotice(props: { readonly of: Overview['failing'][number] }) {
  const { environment } = useCall();
  const { of } = props;
  const { overview: text, frame } = useTexts(DASHBOARD_TEXTS);
  const paused = of.endpoints.filter(({ pausedAtMs }) => pausedAtMs !== null).length;
  const failing = of.endpoints.length - paused;
  const where = of.environment === environment ? '' : `${frame.environment[of.environment]}: `;
  return of.endpoints.length === 0 ? null : (
    <Message tone={paused > 0 ? 'bad' : 'warning'}>
      {paused > 0 && (
        <p>
          {where}
          {text.pausedEndpoints(paused, countText(paused, frame.locale))}
        </p>
      )}
      {failing > 0 && (
        <p>
          {where}
          {text.failingEndpoints(failing, countText(failing, frame.locale))}
        </p>
      )}
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
        byDefault="today"
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
