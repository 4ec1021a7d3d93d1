import { tellAlerts } from '../../engine/alerts/client.ts';
import type { Standing } from '../../engine/alerts/standing.ts';
import { configOf, secretEndsOf } from '../../engine/config.ts';
import { registerOf } from '../../engine/register/client.ts';
import { keysOfEvents } from '../../engine/webhooks/published-keys.ts';
import type { Actor } from '../../kit/audit/log.ts';
import { problem } from '../../kit/http/problem.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import type { ProbeMessage } from '../../kit/platform/probe-message.ts';
import { ENVIRONMENTS } from '../../kit/tenant.ts';
import { isIncomplete } from '../../recovery/incomplete.ts';
import { alertsOf } from '../alerts/ask.ts';
import { checkAlertSettings } from '../alerts/config.ts';
import { MESSAGE_QUEUES, producerOf } from '../dead-letters/queues.ts';
import { lookForLostBooks, lostBookName, lostBooks } from '../health/lost-books.ts';
import { railStates } from '../health/rails.ts';
import { checkBindings, checkDailyRun, checkMigrations, type Finding } from './findings.ts';
import { PAYMENTS_MIGRATIONS } from './migrations.generated.ts';
import { lookAtPayment, PAYMENT_CHECKS, SELF_CHECK_TENANT, startPayment } from './payment.ts';
import { settled } from './settle.ts';
import {
  beginRun,
  latestRun,
  type NamedFinding,
  RUN_EVERY_MS,
  type Run,
  recordResults,
  type StoredResult,
} from './store.ts';

/**
 * The self-check of the payments plane (docs/operator.md#check). A run starts everything at once and
 * stores each result as soon as it is known. What has no result after a while did not answer.
 */

/** What `checks` has not heard of after this is wrong. */
const ANSWERS_WITHIN_MS = 60_000;

type Bindings = __BaseEnv_Env;
type BindingName = {
  [Name in keyof Bindings]: Bindings[Name] extends string ? never : Name;
}[keyof Bindings];

/** Every binding but variables and secrets. The compiler demands a new one. */
const BINDINGS: Readonly<Record<Exclude<BindingName, 'BACKUPS'>, true>> = {
  DB: true,
  WEBHOOKS: true,
  WEBHOOK_RETRIES: true,
  PROVIDER_REPORTS: true,
  API_RATE_LIMIT: true,
  CHECKOUT_RATE_LIMIT: true,
  CALLBACK_RATE_LIMIT: true,
  FAILED_KEY_RATE_LIMIT: true,
  PHONE_PROMPT_RATE_LIMIT: true,
  LINK_SUBMISSION_RATE_LIMIT: true,
  TEST_EVENT_RATE_LIMIT: true,
  EVENT_STREAM_RATE_LIMIT: true,
  RECEIPT_LOOKUP_RATE_LIMIT: true,
  RESEND_RATE_LIMIT: true,
  RAIL_PROBE_RATE_LIMIT: true,
  VERSION: true,
  PAYMENT_INTENT: true,
  MERCHANT_BOOK: true,
  MERCHANT_REGISTER: true,
  RECEIPT_INDEX: true,
  OPERATOR_ALERTS: true,
  PROVIDER_FILES: true,
  ASSETS: true,
};

type Checks = Readonly<Record<string, (env: Env, nowMs: number) => Finding | Promise<Finding>>>;

/** Checks whose result is known at once, and which change nothing. */
const IMMEDIATE = {
  'payments-worker': ({ VERSION }) => ({
    state: 'ok',
    finding: 'version',
    details: { id: VERSION.id },
  }),
  bindings: (env) => checkBindings(env, Object.keys(BINDINGS)),
  configuration: checkConfiguration,
  database: ({ DB }) => checkMigrations(DB, PAYMENTS_MIGRATIONS),
  rails: checkRails,
  register: checkRegister,
  books: checkBooks,
  alerts: checkAlerts,
  'daily-run': ({ DB }, nowMs) => checkDailyRun(DB, 'purge', nowMs),
  backup: checkBackup,
} satisfies Checks;

/** In the order of the report. The last ones answer later. */
const CHECK_NAMES: readonly string[] = [
  ...Object.keys(IMMEDIATE),
  ...MESSAGE_QUEUES,
  ...Object.keys(PAYMENT_CHECKS),
];

async function checkConfiguration(env: Env, nowMs: number): Promise<Finding> {
  configOf(env);
  secretEndsOf(env);
  await Promise.all(ENVIRONMENTS.map((environment) => keysOfEvents(env, environment, nowMs)));
  return { state: 'ok', finding: 'parsed' };
}

export async function checkBackup({ DB, BACKUPS }: Env, nowMs: number): Promise<Finding> {
  // A deployment may do without a bucket.
  if (BACKUPS === undefined) {
    return { state: 'ok', finding: 'switched_off' };
  }
  return (await isIncomplete(DB))
    ? { state: 'ok', finding: 'not_run_yet' }
    : checkDailyRun(DB, 'backup', nowMs);
}

/** Which rails production has is the operator's choice; a malformed secret is a mistake. */
function checkRails(env: Env): Finding {
  const rails = railStates(env);
  const wrong = rails.filter(({ state }) => state === 'misconfigured');
  if (wrong.length > 0) {
    const names = wrong.map(({ secret }) => secret).join(', ');
    return { state: 'wrong', finding: 'rails_unparsed', details: { names } };
  }
  const methods = rails
    .filter(({ state, environment }) => state === 'configured' && environment === 'production')
    .map(({ method }) => method);
  return { state: 'ok', finding: 'rails', details: { methods: methods.join(', ') || '—' } };
}

async function checkRegister(env: Env): Promise<Finding> {
  await registerOf(env, SELF_CHECK_TENANT).volumes();
  return { state: 'ok', finding: 'answered' };
}

/** A rebuild brings their payments back. */
async function checkBooks(env: Env, nowMs: number): Promise<Finding> {
  const asked = await lookForLostBooks(env, nowMs);
  const lost = await lostBooks(env.DB, ENVIRONMENTS);
  return lost.length === 0
    ? { state: 'ok', finding: 'books', details: { count: asked } }
    : {
        state: 'wrong',
        finding: 'books_lost',
        details: { names: lost.map(lostBookName).join(', ') },
      };
}

/** A channel that is down is no reason to take back a deployment: the desk shows it. */
async function checkAlerts(env: Env): Promise<Finding> {
  checkAlertSettings(env);
  await alertsOf(env).state();
  return { state: 'ok', finding: 'answered' };
}

/** Findings with the time of the run; null before the first one. */
export interface SelfCheck {
  readonly checks: readonly NamedFinding[];
  readonly startedAtMs: number | null;
  /** Null while a check is waiting. */
  readonly finishedAtMs: number | null;
}

interface Plane {
  readonly env: Env;
  readonly nowMs: number;
}

/**
 * Starts a run. Problem 429 within a minute of the previous one. While D1 fails, answers what can be
 * said without it.
 */
export async function startSelfCheck(
  { env, nowMs }: Plane,
  { name }: Pick<Actor, 'name'>,
  ownOrigin: string,
): Promise<SelfCheck> {
  const run = { runId: crypto.randomUUID(), startedAtMs: nowMs };
  let isBegun: boolean;
  try {
    isBegun = await beginRun(env.DB, run, name);
  } catch (error) {
    return withoutDatabase(env, nowMs, error);
  }
  if (!isBegun) {
    throw problem('too_many_requests', { retryAfterSeconds: RUN_EVERY_MS / 1_000 });
  }
  const started = await Promise.all([
    immediately(env, nowMs),
    failedStart('payment', () => startPayment(env, run, originOf(env, ownOrigin))),
    ...MESSAGE_QUEUES.map((queue) =>
      failedStart(queue, async () => {
        const message: ProbeMessage = { selfCheckRun: run.runId };
        await producerOf(env, queue).send(message);
      }),
    ),
  ]);
  await recordResults(env.DB, run.runId, started.flat(), Date.now()).catch((error: unknown) => {
    log('error', 'self_check_not_stored', { error: errorText(error) });
  });
  const report = await readSelfCheck({ env, nowMs: Date.now() });
  const standings = standingsOf(report);
  if (standings !== null) {
    await tellAlerts(env, (alerts) => alerts.stand('self_check', standings));
  }
  return report;
}

/** The cron is no request, and the payment's page is never shown. */
const NO_ORIGIN = 'https://self-check.invalid';

/** The daily run, which makes a quiet morning mean that every part works. Never throws. */
export async function startDailySelfCheck(env: Env): Promise<void> {
  try {
    await startSelfCheck({ env, nowMs: Date.now() }, { name: 'cron' }, NO_ORIGIN);
  } catch (error) {
    // An operator has started one within this minute, or the configuration is wrong.
    log('warn', 'self_check_not_started', { error: errorText(error) });
  }
}

/** What the latest run found wrong. Null while it has found nothing and waits. Throws while D1 fails. */
export async function selfCheckStandings({
  env,
  nowMs,
}: Plane): Promise<readonly Standing[] | null> {
  const latest = await latestRun(env.DB);
  return latest && standingsOf(await reportOf(env, latest.run, latest.results, nowMs));
}

function standingsOf({ checks, startedAtMs, finishedAtMs }: SelfCheck): readonly Standing[] | null {
  const wrong = checks.flatMap(({ name, state }): readonly Standing[] =>
    state === 'wrong'
      ? [{ subject: 'self_check_failed', count: 1, sinceAtMs: startedAtMs ?? 0, detail: name }]
      : [],
  );
  return wrong.length === 0 && finishedAtMs === null ? null : wrong;
}

function immediately(env: Env, nowMs: number): Promise<readonly NamedFinding[]> {
  return Promise.all(
    Object.entries<Checks[string]>(IMMEDIATE).map(async ([name, check]) => ({
      name,
      ...(await settled(name, () => check(env, nowMs))),
    })),
  );
}

/** What went wrong at the start of a check whose result comes later; nothing if it began. */
async function failedStart(
  name: string,
  start: () => Promise<void>,
): Promise<readonly NamedFinding[]> {
  const finding = await settled(name, async () => {
    await start();
    return WAITING;
  });
  return finding === WAITING ? [] : [{ name, ...finding }];
}

const WAITING: Finding = { state: 'waiting', finding: 'waiting' };
const SILENT: Finding = {
  state: 'wrong',
  finding: 'silent',
  details: { seconds: ANSWERS_WITHIN_MS / 1_000 },
};

/** The checkout page of the payment is never shown, so any origin will do if none is configured. */
function originOf(env: Env, ownOrigin: string): string {
  return configOf(env).publicBaseUrl ?? ownOrigin;
}

/** The latest run. Looks at its payment again while it waits for that. */
export async function readSelfCheck({ env, nowMs }: Plane): Promise<SelfCheck> {
  try {
    const latest = await latestRun(env.DB);
    return latest === null
      ? { checks: [], startedAtMs: null, finishedAtMs: null }
      : await reportOf(env, latest.run, latest.results, nowMs);
  } catch (error) {
    return withoutDatabase(env, nowMs, error);
  }
}

async function reportOf(
  env: Env,
  run: Run,
  results: readonly StoredResult[],
  nowMs: number,
): Promise<SelfCheck> {
  const missing = CHECK_NAMES.filter((known) => !results.some(({ name }) => name === known));
  const looked = await lookAtPayment(env, run, missing);
  if (looked.length > 0) {
    await recordResults(env.DB, run.runId, looked, nowMs);
  }
  const isLate = nowMs - run.startedAtMs >= ANSWERS_WITHIN_MS;
  const checks = CHECK_NAMES.map((name): NamedFinding => {
    const result = [...results, ...looked].find((known) => known.name === name);
    const { state, finding, details } = result ?? (isLate ? SILENT : WAITING);
    return { name, state, finding, ...(details && { details }) };
  });
  const isOver = checks.every(({ state }) => state !== 'waiting');
  const endedAtMs = Math.max(
    ...results.map(({ finishedAtMs }) => finishedAtMs),
    ...(looked.length > 0 ? [nowMs] : []),
    isLate && missing.length > looked.length ? run.startedAtMs + ANSWERS_WITHIN_MS : 0,
  );
  return { checks, startedAtMs: run.startedAtMs, finishedAtMs: isOver ? endedAtMs : null };
}

/** D1 does not answer, or lacks the tables of the self-check: says what is known without them. */
async function withoutDatabase(env: Env, nowMs: number, error: unknown): Promise<SelfCheck> {
  log('error', 'self_check_not_stored', { error: errorText(error) });
  const known = await immediately(env, nowMs);
  const rest = CHECK_NAMES.slice(known.length).map(
    (name): NamedFinding => ({ name, state: 'wrong', finding: 'not_stored' }),
  );
  return { checks: [...known, ...rest], startedAtMs: nowMs, finishedAtMs: nowMs };
}
