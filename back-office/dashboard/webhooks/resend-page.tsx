import { countText } from '../../../src/i18n/money-text.ts';
import type { FailedEvents, ResentEvents } from '../../../src/interface/events.ts';
import { parseCursor } from '../../../src/platform/paging.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { answerPage } from '../../ui/answer.ts';
import { Message } from '../../ui/elements.tsx';
import { actorOf, type DashboardCall, shownAt, tenantOf } from '../call.ts';
import { CalendarSwitch } from '../date-fields.tsx';
import { type DaysForm, dateOf, dayField, readDays } from '../days.ts';
import { PostForm } from '../forms.tsx';
import { DaysProblem, daysFields, FilterForm } from '../list.tsx';
import { webhooksPath } from '../paths.ts';
import { DAY_NAMES, WebhooksFrame } from './elements.tsx';

/** The days in the empty form: more than a weekend and than the wait for a pause. */
const DAYS_OFFERED_MS = 6 * 24 * 60 * 60 * 1_000;
const BAD_REQUEST = 400;

/** GET …/webhooks/resend: how many events failed in these days. Sends nothing. */
export async function showResend(call: DashboardCall): Promise<Response> {
  const query = call.url.searchParams;
  const textOf = (name: string) => query.get(name)?.trim() ?? '';
  const hasDays = [...query.keys()].some((name) => /^(?:from|to)\b/.test(name));
  const days = readDays(
    hasDays ? dayField(textOf, 'from') : dateOf(call.nowMs - DAYS_OFFERED_MS),
    hasDays ? dayField(textOf, 'to') : dateOf(call.nowMs),
  );
  return answerDays(call, days);
}

async function answerDays(call: DashboardCall, days: DaysForm): Promise<Response> {
  const isGood = days.problem === null;
  const { events } = call.payments;
  const failed = isGood ? await events.failed(tenantOf(call), days.range) : null;
  return answerPage(call, <ResendPage call={call} days={days} failed={failed} />, {
    status: isGood ? 200 : BAD_REQUEST,
  });
}

/** POST …/webhooks/resend: one batch. The answer says how many are left, with a form for the next. */
export async function resendMany(call: DashboardCall): Promise<Response> {
  const { environment, form } = call;
  const page = shownAt(call, webhooksPath(environment, '/resend'));
  const days = readDays(form.text('from'), form.text('to'));
  if (days.problem !== null) {
    return answerDays(page, days);
  }
  const { from, to, range } = days;
  const cursor = parseCursor(form.text('cursor'));
  const { resendFailed } = call.payments.events;
  const result = await resendFailed(tenantOf(call), actorOf(call), range, { from, to }, cursor);
  return answerPage(page, <ResultPage call={page} days={days} result={result} />);
}

interface Props {
  readonly call: DashboardCall;
  readonly days: DaysForm;
}

function ResendPage({ call, days, failed }: Props & { readonly failed: FailedEvents | null }) {
  const text = DASHBOARD_TEXTS[call.language].events;
  return (
    <WebhooksFrame call={call} title={text.resendTitle} active="resend">
      <DaysProblem call={call} days={days} names={DAY_NAMES} />
      <p>{text.resendHint}</p>
      <FilterForm
        call={call}
        action={webhooksPath(call.environment, '/resend')}
        fields={daysFields({ call, days, names: DAY_NAMES }, text)}
      >
        <button type="submit">{text.count}</button>
      </FilterForm>
      <CalendarSwitch call={call} />
      {failed !== null && <Confirmation call={call} days={days} failed={failed} />}
    </WebhooksFrame>
  );
}

function Confirmation({ call, days, failed }: Props & { readonly failed: FailedEvents }) {
  const { events: text, frame } = DASHBOARD_TEXTS[call.language];
  const count = (events: number) => countText(events, frame.locale);
  if (failed.count === 0) {
    return <p class="empty">{text.foundNone}</p>;
  }
  return (
    <PostForm
      call={call}
      class="card"
      action={webhooksPath(call.environment, '/resend')}
      fields={{ from: days.from, to: days.to }}
    >
      <p>
        <strong>{text.found(count(failed.count))}</strong>
      </p>
      <div class="buttons">
        <button class="primary" type="submit">
          {text.confirm(count(failed.atOnce))}
        </button>
      </div>
    </PostForm>
  );
}

function ResultPage({ call, days, result }: Props & { readonly result: ResentEvents }) {
  const { events: text, frame } = DASHBOARD_TEXTS[call.language];
  const count = (events: number) => countText(events, frame.locale);
  const path = webhooksPath(call.environment, '/resend');
  const { from, to } = days;
  return (
    <WebhooksFrame call={call} title={text.resendTitle} active="resend">
      <Message tone={result.unreachable > 0 ? 'bad' : 'good'}>
        <p>{text.sent(count(result.resent))}</p>
        {result.unchanged > 0 && <p>{text.unchanged(count(result.unchanged))}</p>}
        {result.unreachable > 0 && <p>{text.unreachable(count(result.unreachable))}</p>}
        <p>{result.nextCursor === null ? text.finished : text.left(count(result.left))}</p>
      </Message>
      <p class="quiet">{text.onTheirWay}</p>
      {result.nextCursor !== null && (
        <PostForm call={call} action={path} fields={{ from, to, cursor: result.nextCursor }}>
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
    </WebhooksFrame>
  );
}
