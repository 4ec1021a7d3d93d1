import { seal } from '../../crypto/sealed.ts';
import { runBatch } from '../../database.ts';
import { isWithinLimit } from '../../http/rate-limit.ts';
import { setWebhookUrl } from '../../merchants/provision.ts';
import { generateWebhookSecret } from '../../merchants/webhook-secret.ts';
import { redirectTo } from '../../ui/answer.ts';
import { clearEndpoint, endpointOrigin } from '../../webhooks/endpoints.ts';
import { isAccepted, sendSigned } from '../../webhooks/send.ts';
import {
  forgetSettingsOf,
  freshWebhookSettings,
  webhookSecretContext,
} from '../../webhooks/settings.ts';
import { testEvent } from '../../webhooks/test-event.ts';
import { audited, auditedIfChanged } from '../audited.ts';
import { type DashboardCall, tenantOf } from '../call.ts';
import { noticePage } from '../notices.tsx';
import { webhooksPath } from '../paths.ts';
import { addressProblem, defaultUrl, resumePausedEndpoint, resumeStatements } from './endpoints.ts';
import {
  endSecret,
  expireOthers,
  insertSecret,
  mayEnd,
  OVERLAP_HOURS,
  openSecret,
  secretsInForce,
} from './secrets.ts';
import { answerSettings } from './settings-page.tsx';
import type { TestResult } from './test-section.tsx';

const HOUR_MS = 60 * 60 * 1_000;

const BAD_REQUEST = 400;
const TOO_MANY_REQUESTS = 429;

/** POST …/webhooks/url: where events without a callbackUrl go. Empty: nowhere. */
export async function changeUrl(call: DashboardCall): Promise<Response> {
  const typed = call.form.text('url');
  const problem = typed === '' ? null : addressProblem(call, typed);
  if (problem !== null) {
    return answerSettings(call, { url: { typed, problem } }, BAD_REQUEST);
  }
  const tenant = tenantOf(call);
  const url = typed === '' ? null : typed;
  if (url !== (await defaultUrl(call.env.DB, tenant))) {
    // The origin only: path and query may hold a secret of the merchant's.
    const origin = url === null ? null : endpointOrigin(url);
    await runBatch(call.env.DB, [
      setWebhookUrl(tenant, url),
      audited(call, { action: 'webhook.url_changed', target: origin }),
    ]);
    forgetSettingsOf(tenant);
  }
  return redirectTo(call, webhooksPath(call.environment), { done: 'url' });
}

/** POST …/webhooks/secrets: a new signing secret; the old ones end after the chosen overlap. */
export async function rotateSecret(call: DashboardCall): Promise<Response> {
  const { env, config, nowMs } = call;
  const overlapHours = OVERLAP_HOURS.find((hours) => hours === call.form.text('overlapHours'));
  if (overlapHours === undefined) {
    return answerSettings(call, { secrets: { problem: 'badOverlap' } }, BAD_REQUEST);
  }
  const tenant = tenantOf(call);
  const value = generateWebhookSecret();
  const context = webhookSecretContext(tenant);
  const sealedSecret = await seal(config.dataEncryptionKeys, value, context);
  const id = `whs_${crypto.randomUUID().replaceAll('-', '').slice(0, 16)}`;
  const oldExpireAtMs = nowMs + Number(overlapHours) * HOUR_MS;
  const [added] = await runBatch(env.DB, [
    insertSecret(tenant, { id, sealedSecret, createdAtMs: nowMs }, oldExpireAtMs),
    auditedIfChanged(call, {
      action: 'webhook.secret_rotated',
      target: id,
      detail: { overlapHours: Number(overlapHours) },
    }),
    expireOthers(tenant, id, oldExpireAtMs),
  ]);
  if (added !== 1) {
    return answerSettings(call, { secrets: { problem: 'tooMany' } }, BAD_REQUEST);
  }
  forgetSettingsOf(tenant);
  return answerSettings(call, { secrets: { shown: { id, value, isNew: true } } });
}

/** POST …/webhooks/secrets/:secretId/show: its value, in this answer only. */
export async function showSecret(call: DashboardCall): Promise<Response> {
  const { secretId: id = '' } = call.params;
  const opened = await openSecret(call.env, tenantOf(call), id, call.nowMs);
  if (opened.type === 'not_found') {
    return noticePage(call, 'not_found');
  }
  if (opened.type === 'unreadable') {
    return answerSettings(call, { secrets: { problem: 'unreadable' } });
  }
  await runBatch(call.env.DB, [audited(call, { action: 'webhook.secret_shown', target: id })]);
  return answerSettings(call, { secrets: { shown: { id, value: opened.value, isNew: false } } });
}

/** POST …/webhooks/secrets/:secretId/end */
export async function endSecretNow(call: DashboardCall): Promise<Response> {
  const { env, nowMs } = call;
  const tenant = tenantOf(call);
  const { secretId: id = '' } = call.params;
  const secrets = await secretsInForce(env.DB, tenant, nowMs);
  const secret = secrets.find((known) => known.id === id);
  if (secret === undefined) {
    return noticePage(call, 'not_found');
  }
  if (!mayEnd(secret, secrets)) {
    return answerSettings(call, { secrets: { problem: 'cannotEnd' } }, BAD_REQUEST);
  }
  await runBatch(env.DB, [
    endSecret(tenant, id, nowMs),
    auditedIfChanged(call, { action: 'webhook.secret_ended', target: id }),
  ]);
  forgetSettingsOf(tenant);
  return redirectTo(call, webhooksPath(call.environment), { done: 'ended' });
}

/** POST …/webhooks/endpoints/resume */
export async function resumePaused(call: DashboardCall): Promise<Response> {
  await resumePausedEndpoint(call, call.form.text('origin'));
  return redirectTo(call, webhooksPath(call.environment), { done: 'resumed' });
}

/** POST …/webhooks/test: sends a signed test webhook now, without a payment behind it. */
export async function sendTest(call: DashboardCall): Promise<Response> {
  const typed = call.form.text('url');
  const problem = typed === '' ? ('empty' as const) : addressProblem(call, typed);
  if (problem !== null) {
    return answerSettings(call, { test: { typed, problem } }, BAD_REQUEST);
  }
  const { env, environment, session, config, nowMs } = call;
  const key = `${environment}/${session.merchantId}`;
  if (!(await isWithinLimit(config, env.TEST_EVENT_RATE_LIMIT, key))) {
    return answerSettings(call, { test: { typed, isBusy: true } }, TOO_MANY_REQUESTS);
  }
  const tenant = tenantOf(call);
  const { merchantName } = session;
  const about = { merchantName, ownOrigin: call.url.origin, nowMs };
  const [event, { secrets }] = await Promise.all([
    testEvent(env, tenant, about),
    freshWebhookSettings(env, tenant, nowMs),
  ]);
  const { log } = await sendSigned(env, { ...event, destination: typed, secrets });
  const hasResumed = await recordTest(call, typed, { eventId: event.eventId, log });
  const result = { eventId: event.eventId, log, hasResumed };
  return answerSettings(call, { test: { typed, result } });
}

/** Records the test. An accepted one shows that the endpoint works: true if it was paused. */
async function recordTest(
  call: DashboardCall,
  url: string,
  { eventId, log }: Pick<TestResult, 'eventId' | 'log'>,
): Promise<boolean> {
  const tenant = tenantOf(call);
  const origin = endpointOrigin(url) ?? '';
  const detail = { eventId, httpStatus: log.httpStatus };
  const sent = audited(call, { action: 'webhook.test_sent', target: origin, detail });
  if (!isAccepted(log)) {
    await runBatch(call.env.DB, [sent]);
    return false;
  }
  const [wasPaused] = await runBatch(call.env.DB, [
    ...resumeStatements(call, origin),
    clearEndpoint(tenant, origin),
    sent,
  ]);
  forgetSettingsOf(tenant);
  return wasPaused === 1;
}
