import type { SelfCheck } from '../../src/control/rpc/operator.ts';
import {
  checkBindings,
  checkDailyRun,
  checkMigrations,
} from '../../src/control/self-check/findings.ts';
import { settled } from '../../src/control/self-check/settle.ts';
import { origin, supportOf } from '../../src/engine/config.ts';
import { Problem } from '../../src/kit/http/problem.ts';
import { backOfficeConfigOf, memberRetentionOf } from '../config.ts';
import type { BackOfficeEnv } from '../env.ts';
import type { SelfCheckMessages } from '../i18n/messages.ts';
import { SELF_CHECK_TEXTS } from '../i18n/texts.ts';
import type { OperatorCall } from './call.ts';
import { BACK_OFFICE_MIGRATIONS } from './migrations.generated.ts';
import { operatorSettings } from './settings.ts';

/**
 * The self-check of both Workers. The payments plane tries its own parts and stores what it found; the
 * back office looks at its own each time it is asked.
 */

type Found = SelfCheck['checks'][number];

/** Every binding but variables and secrets. */
const BINDINGS = [
  'PAYMENTS',
  'BACK_OFFICE_DB',
  'ASSETS',
  'VERSION',
  'FAILED_KEY_RATE_LIMIT',
  'SIGN_IN_RATE_LIMIT',
  'PAGE_VIEW_RATE_LIMIT',
  'DASHBOARD_RATE_LIMIT',
] as const satisfies readonly (keyof BackOfficeEnv)[];

/** Longer than its slowest check, so that a hanging part does not hide the others. */
const PAYMENTS_ANSWER_WITHIN_MS = 30_000;

/** Starts a check. Problem 429 within a minute of the previous one. */
export function startCheck(call: OperatorCall): Promise<CheckReport> {
  return reportOf(call, (operator) => operator.startSelfCheck(call.actor, call.url.origin));
}

/** The latest check. */
export function readCheck(call: OperatorCall): Promise<CheckReport> {
  return reportOf(call, (operator) => operator.readSelfCheck());
}

/** What the API answers, and setups of other programs read. */
export interface CheckReport {
  readonly checks: readonly {
    readonly name: string;
    readonly state: Found['state'];
    readonly detail: string;
    /** Null unless something is wrong. */
    readonly remedy: string | null;
  }[];
  /** In ISO 8601; null before the first check. */
  readonly startedAt: string | null;
  /** Null while a check is waiting. */
  readonly finishedAt: string | null;
}

async function reportOf(
  call: OperatorCall,
  ask: (operator: OperatorCall['payments']['operator']) => Promise<SelfCheck>,
): Promise<CheckReport> {
  const { checks, startedAtMs, finishedAtMs } = await checkOf(call, ask);
  return {
    checks: checks.map((check) => {
      const { title: _, ...texts } = checkTexts(SELF_CHECK_TEXTS.en, check);
      return { name: check.name, state: check.state, ...texts };
    }),
    startedAt: isoOf(startedAtMs),
    finishedAt: isoOf(finishedAtMs),
  };
}

function isoOf(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}

/** What `ask` brings, with the checks of this Worker. */
export async function checkOf(
  call: OperatorCall,
  ask: (operator: OperatorCall['payments']['operator']) => Promise<SelfCheck>,
): Promise<SelfCheck> {
  const [payments, own] = await Promise.all([
    askPayments(() => ask(call.payments.operator), call.nowMs),
    ownChecks(call),
  ]);
  return payments.startedAtMs === null
    ? payments
    : { ...payments, checks: [...payments.checks, ...own] };
}

/** A payments plane that does not answer at all is one wrong check. */
async function askPayments(ask: () => Promise<SelfCheck>, nowMs: number): Promise<SelfCheck> {
  let refusal: Problem | null = null;
  let answer: SelfCheck | null = null;
  const name = 'payments-worker';
  const finding = await settled(
    name,
    async () => {
      try {
        answer = await ask();
      } catch (error) {
        if (!(error instanceof Problem)) {
          throw error;
        }
        refusal = error;
      }
      return { state: 'ok', finding: 'answered' };
    },
    PAYMENTS_ANSWER_WITHIN_MS,
  );
  if (refusal !== null) {
    throw refusal;
  }
  return answer ?? { checks: [{ name, ...finding }], startedAtMs: nowMs, finishedAtMs: nowMs };
}

function ownChecks({ env, nowMs }: OperatorCall): Promise<readonly Found[]> {
  const { BACK_OFFICE_DB: database } = env;
  const checks = {
    'back-office-worker': () => ({
      state: 'ok',
      finding: 'version',
      details: { id: env.VERSION.id },
    }),
    'back-office-bindings': () => checkBindings(env, BINDINGS),
    'back-office-configuration': () => checkConfiguration(env),
    'back-office-database': () => checkMigrations(database, BACK_OFFICE_MIGRATIONS),
    'back-office-daily-run': () => checkDailyRun(database, 'purge', nowMs),
  } satisfies Readonly<Record<string, Parameters<typeof settled>[1]>>;
  return Promise.all(
    Object.entries<Parameters<typeof settled>[1]>(checks).map(async ([name, check]) => ({
      name,
      ...(await settled(name, check)),
    })),
  );
}

async function checkConfiguration(env: BackOfficeEnv) {
  backOfficeConfigOf(env);
  await operatorSettings(env);
  supportOf(env);
  memberRetentionOf(env);
  origin('PAYMENTS_BASE_URL', env.PAYMENTS_BASE_URL);
  return { state: 'ok', finding: 'parsed' } as const;
}

/** A check in the words of a language. A newer payments Worker may have checks without words here. */
export function checkTexts(messages: SelfCheckMessages, { name, state, finding, details }: Found) {
  const known = Object.entries(messages.checks).find(([check]) => check === name)?.[1];
  const values: Readonly<Record<string, string | number>> = details ?? {};
  return {
    title: known?.title ?? name,
    detail: (messages.findings[finding] ?? finding).replaceAll(/\{(\w+)\}/g, (_, value) =>
      String(values[value]),
    ),
    remedy: state === 'wrong' ? (known?.remedy ?? null) : null,
  };
}
