import type { ComponentChildren } from 'preact';
import type { FailedEvents, ResentEvents } from '../../../src/control/rpc/events.ts';
import { countText } from '../../../src/kit/i18n/money-text.ts';
import { parseCursor } from '../../../src/kit/platform/paging.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Message } from '../../ui/elements.tsx';
import { EmptyState } from '../../ui/layout.tsx';
import { actorOf, type DashboardCall, tenantOf, useCall } from '../call.ts';
import { CalendarSwitch } from '../date-fields.tsx';
import { type DaysForm, dateOf, daysIn, readDays } from '../days.ts';
import { DeveloperFrame } from '../developers.tsx';
import { PostForm, Submit } from '../forms.tsx';
import { showPage } from '../frame.tsx';
import { daysFields, daysProblems, FilterForm } from '../list.tsx';
import { webhooksPath } from '../paths.ts';
import { DAY_NAMES } from './elements.tsx';

/** The days in the empty form: more than a weekend and than the wait for a pause. */
const DAYS_OFFERED_MS = 6 * 24 * 60 * 60 * 1_000;

/** GET …/webhooks/resend: how many events failed in these days. Sends nothing. */
export async function showResend(call: DashboardCall): Promise<Response> {
  const query = call.url.searchParams;
  const hasDays = [...query.keys()].some((name) => /^(?:from|to)\b/.test(name));
  const days = hasDays
    ? daysIn(query, DAY_NAMES)
    : readDays(dateOf(call.nowMs - DAYS_OFFERED_MS), dateOf(call.nowMs));
  return answerDays(call, days);
}

async function answerDays(call: DashboardCall, days: DaysForm): Promise<Response> {
  const { events } = call.payments;
  const failed = days.problem === null ? await events.failed(tenantOf(call), days.range) : null;
  return showPage(call, <ResendPage days={days} failed={failed} />, {
    at: pathOf(call),
    problems: daysProblems(call, days, DAY_NAMES),
  });
}

function pathOf({ environment }: DashboardCall): string {
  return webhooksPath(environment, '/resend');
}

/** POST …/webhooks/resend: one batch. The answer says how many are left, with a form for the next. */
export async function resendMany(call: DashboardCall): Promise<Response> {
  const { form } = call;
  const days = readDays(form.text('from'), form.text('to'));
  if (days.problem !== null) {
    return answerDays(call, days);
  }
  const cursor = parseCursor(form.text('cursor'));
  const { resendFailed } = call.payments.events;
  const result = await resendFailed(tenantOf(call), actorOf(call), days.range, cursor);
  return showPage(call, <ResultPage days={days} result={result} />, { at: pathOf(call) });
}

function ResendFrame({ children }: { readonly children: ComponentChildren }) {
  const { environment } = useCall();
  const text = useTexts(DASHBOARD_TEXTS).events;
  const back = { to: webhooksPath(environment, '/events'), text: text.backToEvents };
  return (
    <DeveloperFrame title={text.resendTitle} part="events" head={{ back }}>
      {children}
    </DeveloperFrame>
  );
}

interface Props {
  readonly days: DaysForm;
}

function ResendPage({ days, failed }: Props & { readonly failed: FailedEvents | null }) {
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).events;
  return (
    <ResendFrame>
      <p>{text.resendHint}</p>
      <FilterForm
        action={webhooksPath(call.environment, '/resend')}
        fields={daysFields(days, DAY_NAMES, text)}
      >
        <button type="submit">{text.count}</button>
      </FilterForm>
      <CalendarSwitch />
      {failed !== null && <Confirmation days={days} failed={failed} />}
    </ResendFrame>
  );
}

function Confirmation({ days, failed }: Props & { readonly failed: FailedEvents }) {
  const call = useCall();
  const { events: text, frame } = useTexts(DASHBOARD_TEXTS);
  const count = (events: number) => countText(events, frame.locale);
  if (failed.count === 0) {
    return <EmptyState title={text.foundNone} />;
  }
  return (
    <PostForm
      class="card"
      action={webhooksPath(call.environment, '/resend')}
      fields={{ from: days.from, to: days.to }}
    >
      <p>
        <strong>{text.found(count(failed.count))}</strong>
      </p>
      <Submit label={text.confirm(count(failed.atOnce))} />
    </PostForm>
  );
}

function ResultPage({ days, result }: Props & { readonly result: ResentEvents }) {
  const call = useCall();
  const { events: text, frame } = useTexts(DASHBOARD_TEXTS);
  const count = (events: number) => countText(events, frame.locale);
  const path = webhooksPath(call.environment, '/resend');
  const { from, to } = days;
  return (
    <ResendFrame>
      <Message tone={result.unreachable > 0 ? 'bad' : 'good'}>
        <p>{text.sent(count(result.resent))}</p>
        {result.unchanged > 0 && <p>{text.unchanged(count(result.unchanged))}</p>}
        {result.unreachable > 0 && <p>{text.unreachable(count(result.unreachable))}</p>}
        <p>{result.nextCursor === null ? text.finished : text.left(count(result.left))}</p>
      </Message>
      <p class="quiet">{text.onTheirWay}</p>
      {result.nextCursor !== null && (
        <PostForm action={path} fields={{ from, to, cursor: result.nextCursor }}>
          <button class="primary" type="submit">
            {text.goOn}
          </button>
        </PostForm>
      )}
      <div class="buttons">
        <a class="button" href={webhooksPath(call.environment, '/events')}>
          {text.toLog}
        </a>
        <a class="button" href={`${path}?${new URLSearchParams({ from, to })}`}>
          {text.again}
        </a>
      </div>
    </ResendFrame>
  );
}
