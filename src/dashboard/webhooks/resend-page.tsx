import { auditEntry, auditEntryIfChanged } from '../../audit/log.ts';
import { runBatch } from '../../database.ts';
import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { countText } from '../../i18n/money-text.ts';
import { countFailedEvents } from '../../read-model/events-list.ts';
import { answerPage } from '../../ui/answer.ts';
import { Message } from '../../ui/elements.tsx';
import {
  ENDPOINTS_MAX,
  type Endpoint,
  listEndpoints,
  resumeEndpoint,
} from '../../webhooks/endpoints.ts';
import { forgetSettingsOf } from '../../webhooks/settings.ts';
import { actorOf, type DashboardCall, shownAt, tenantOf } from '../call.ts';
import { type DaysForm, dateOf, readDays } from '../days.ts';
import { CsrfField } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { webhooksPath } from '../paths.ts';
import { DaysFields } from './days-fields.tsx';
import { Parts } from './parts.tsx';
import { RESEND_BATCH, type ResendResult, resendFailed } from './resend.ts';

/** Days offered at first: longer than a weekend and than the wait for a pause. */
const DAYS_OFFERED_MS = 6 * 24 * 60 * 60 * 1_000;
const BAD_REQUEST = 400;

interface Found {
  readonly failed: number;
  readonly paused: readonly Endpoint[];
}

/** GET /dashboard/:environment/webhooks/resend: how many, before anything is sent. */
export async function showResend(call: DashboardCall): Promise<Response> {
  const query = call.url.searchParams;
  const days = readDays(
    query.get('from')?.trim() ?? dateOf(call.nowMs - DAYS_OFFERED_MS),
    query.get('to')?.trim() ?? dateOf(call.nowMs),
  );
  return answerDays(call, days);
}

async function answerDays(call: DashboardCall, days: DaysForm): Promise<Response> {
  const isGood = days.problem === null;
  const found = isGood ? await find(call, days) : null;
  return answerPage(call, <ResendPage call={call} days={days} found={found} />, {
    status: isGood ? 200 : BAD_REQUEST,
  });
}

async function find(call: DashboardCall, days: DaysForm): Promise<Found> {
  const tenant = tenantOf(call);
  const [failed, endpoints] = await Promise.all([
    countFailedEvents(call.env.DB, tenant, days.range),
    listEndpoints(call.env.DB, tenant),
  ]);
  return { failed, paused: endpoints.filter(({ pausedAtMs }) => pausedAtMs !== null) };
}

/** POST …/webhooks/resend: one batch; the answer says what is left and leads on. */
export async function resendMany(call: DashboardCall): Promise<Response> {
  const { env, environment, session, form, nowMs } = call;
  const page = shownAt(call, webhooksPath(environment, '/resend'));
  const days = readDays(form.text('from'), form.text('to'));
  if (days.problem !== null) {
    return answerDays(page, days);
  }
  const tenant = tenantOf(call);
  const { merchantId } = session;
  const entry = { actor: actorOf(call), merchantId, environment, atMs: nowMs };
  if (form.has('resume')) {
    // Those that the form has named, and no others that have been paused since.
    const statements = form
      .all('origin')
      .slice(0, ENDPOINTS_MAX)
      .flatMap((origin) => {
        const resumed = { ...entry, action: 'webhook.endpoint_resumed', target: origin } as const;
        return [resumeEndpoint(tenant, origin), auditEntryIfChanged(resumed)];
      });
    if (statements.length > 0) {
      await runBatch(env.DB, statements);
      forgetSettingsOf(tenant);
    }
  }
  const result = await resendFailed(env, tenant, days.range, form.text('cursor'));
  const { resent, unchanged, unreachable } = result;
  const { from, to } = days;
  const detail = { from, to, resent, unchanged, unreachable };
  const done = { ...entry, action: 'events.resent', target: null, detail } as const;
  await runBatch(env.DB, [auditEntry(done)]);
  return answerPage(page, <ResultPage call={page} days={days} result={result} />);
}

function ResendPage(props: {
  readonly call: DashboardCall;
  readonly days: DaysForm;
  readonly found: Found | null;
}) {
  const { call, days, found } = props;
  const text = DASHBOARD_TEXTS[call.language].events;
  return (
    <Frame call={call} title={text.resendTitle} active="webhooks">
      <Parts call={call} active="resend" />
      {days.problem !== null && (
        <Message tone="bad">
          <a href={`#${days.problem.field}`}>{text[days.problem.kind]}</a>
        </Message>
      )}
      <p>{text.resendHint}</p>
      <form class="filters" method="get" action={webhooksPath(call.environment, '/resend')}>
        <DaysFields call={call} days={days} />
        <button type="submit">{text.count}</button>
      </form>
      {found !== null && <Confirmation call={call} days={days} found={found} />}
    </Frame>
  );
}

function Confirmation(props: {
  readonly call: DashboardCall;
  readonly days: DaysForm;
  readonly found: Found;
}) {
  const { call, days, found } = props;
  const text = DASHBOARD_TEXTS[call.language].events;
  const { locale } = DASHBOARD_TEXTS[call.language].frame;
  if (found.failed === 0) {
    return <p class="empty">{text.foundNone}</p>;
  }
  return (
    <form class="card" method="post" action={webhooksPath(call.environment, '/resend')}>
      <CsrfField session={call.session} />
      <input type="hidden" name="from" value={days.from} />
      <input type="hidden" name="to" value={days.to} />
      <p>
        <strong>{text.found(countText(found.failed, locale))}</strong>
      </p>
      {found.paused.length > 0 && (
        <>
          <p>{text.pausedCount(countText(found.paused.length, locale))}</p>
          <ul class="origins">
            {found.paused.map(({ origin }) => (
              <li>
                {origin}
                <input type="hidden" name="origin" value={origin} />
              </li>
            ))}
          </ul>
          <label class="choice">
            <input type="checkbox" name="resume" value="1" checked />
            {text.resumeAll}
          </label>
        </>
      )}
      <div class="buttons">
        <button class="primary" type="submit">
          {text.confirm(countText(RESEND_BATCH, locale))}
        </button>
      </div>
    </form>
  );
}

function ResultPage(props: {
  readonly call: DashboardCall;
  readonly days: DaysForm;
  readonly result: ResendResult;
}) {
  const { call, days, result } = props;
  const text = DASHBOARD_TEXTS[call.language].events;
  const { locale } = DASHBOARD_TEXTS[call.language].frame;
  const path = webhooksPath(call.environment, '/resend');
  const { from, to } = days;
  return (
    <Frame call={call} title={text.resendTitle} active="webhooks">
      <Parts call={call} active="resend" />
      <Message tone={result.unreachable > 0 ? 'bad' : 'good'}>
        <p>{text.sent(countText(result.resent, locale))}</p>
        {result.unchanged > 0 && <p>{text.unchanged(countText(result.unchanged, locale))}</p>}
        {result.unreachable > 0 && <p>{text.unreachable(countText(result.unreachable, locale))}</p>}
        <p>
          {result.nextCursor === null ? text.finished : text.left(countText(result.left, locale))}
        </p>
      </Message>
      <p class="quiet">{text.onTheirWay}</p>
      {result.nextCursor !== null && (
        <form method="post" action={path}>
          <CsrfField session={call.session} />
          <input type="hidden" name="from" value={from} />
          <input type="hidden" name="to" value={to} />
          <input type="hidden" name="cursor" value={result.nextCursor} />
          <button class="primary" type="submit">
            {text.goOn}
          </button>
        </form>
      )}
      <div class="buttons">
        <a class="button" href={webhooksPath(call.environment, '/events')}>
          {text.toLog}
        </a>
        <a class="button" href={`${path}?${new URLSearchParams({ from, to })}`}>
          {text.again}
        </a>
      </div>
    </Frame>
  );
}
