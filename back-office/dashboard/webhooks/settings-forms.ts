import { runBatch } from '../../../src/database.ts';
import { isWithinLimit } from '../../../src/http/rate-limit.ts';
import { findEndpoint } from '../../../src/webhooks/endpoint-store.ts';
import { endpointOrigin } from '../../../src/webhooks/endpoints.ts';
import { clearEndpoint } from '../../../src/webhooks/failing-endpoints.ts';
import { setCallbackSignatureHeader } from '../../../src/webhooks/secret-store.ts';
import { isAccepted, sendSigned } from '../../../src/webhooks/send.ts';
import { forgetSettingsOf, freshWebhookSettings } from '../../../src/webhooks/settings.ts';
import { signatureHeaderProblem } from '../../../src/webhooks/signature-header.ts';
import { testEvent } from '../../../src/webhooks/test-event.ts';
import { redirectTo } from '../../ui/answer.ts';
import { audited, auditedIfChanged } from '../audited.ts';
import { type DashboardCall, tenantOf } from '../call.ts';
import { webhooksPath } from '../paths.ts';
import {
  type AddressProblem,
  addressProblem,
  resumePausedEndpoint,
  resumeStatements,
} from './endpoints.ts';
import { answerSettings } from './settings-page.tsx';
import type { TestResult } from './test-section.tsx';

const BAD_REQUEST = 400;
const TOO_MANY_REQUESTS = 429;

/** POST …/webhooks/failing/resume: a server of callbackUrls. */
export async function resumePaused(call: DashboardCall): Promise<Response> {
  await resumePausedEndpoint(call, call.form.text('origin'));
  return redirectTo(webhooksPath(call.environment), { done: 'resumed' });
}

/** POST …/webhooks/callbacks: the extra signature header of webhooks to callbackUrls. */
export async function changeCallbackHeader(call: DashboardCall): Promise<Response> {
  const typed = call.form.text('signatureHeader');
  const name = typed === '' ? null : typed;
  const problem = name === null ? null : signatureHeaderProblem(name);
  if (problem !== null) {
    return answerSettings(call, { header: { typed, problem } }, BAD_REQUEST);
  }
  const tenant = tenantOf(call);
  await runBatch(call.env.DB, [
    setCallbackSignatureHeader(tenant, name),
    auditedIfChanged(call, {
      action: 'webhook.callbacks_changed',
      target: null,
      detail: { signatureHeader: name },
    }),
  ]);
  forgetSettingsOf(tenant);
  return redirectTo(webhooksPath(call.environment), { done: 'saved' });
}

/** POST …/webhooks/test: sends a signed test webhook now, without a payment behind it. */
export async function sendTest(call: DashboardCall): Promise<Response> {
  const target = await testTarget(call);
  const { typed, endpointId, problem } = target;
  if (problem !== null) {
    return answerSettings(call, { test: { typed, endpointId, problem } }, BAD_REQUEST);
  }
  const { env, environment, session, config, nowMs } = call;
  const key = `${environment}/${session.merchantId}`;
  if (!(await isWithinLimit(config, env.TEST_EVENT_RATE_LIMIT, key))) {
    return answerSettings(call, { test: { typed, endpointId, isBusy: true } }, TOO_MANY_REQUESTS);
  }
  const tenant = tenantOf(call);
  const { merchantName } = session;
  const about = { merchantName, ownOrigin: call.url.origin, nowMs };
  const [event, settings] = await Promise.all([
    testEvent(env, tenant, about),
    freshWebhookSettings(env, tenant, nowMs),
  ]);
  const endpoint = endpointId === null ? undefined : settings.endpoints.get(endpointId);
  const { secrets, signatureHeader } = endpoint ?? settings;
  const signing = { destination: target.url, secrets, signatureHeader };
  const { log } = await sendSigned(env, { ...event, ...signing });
  const hasResumed = await recordTest(call, target, { eventId: event.eventId, log });
  const result = { eventId: event.eventId, sentTo: target.url, log, hasResumed };
  return answerSettings(call, { test: { typed, endpointId, result } });
}

interface TestTarget {
  readonly url: string;
  /** Null: another URL, which is signed like a callbackUrl. */
  readonly endpointId: string | null;
  /** The other URL as typed. */
  readonly typed: string;
  readonly problem: AddressProblem | 'empty' | null;
}

/** The typed URL, else the chosen endpoint. An endpoint that is gone counts as no choice. */
async function testTarget(call: DashboardCall): Promise<TestTarget> {
  const typed = call.form.text('url');
  const chosen = call.form.text('endpoint');
  const endpoint = typed === '' ? await findEndpoint(call.env.DB, tenantOf(call), chosen) : null;
  if (endpoint !== null) {
    const { url, endpointId } = endpoint;
    return { url, endpointId, typed, problem: addressProblem(call, url) };
  }
  const problem = typed === '' ? 'empty' : addressProblem(call, typed);
  return { url: typed, endpointId: null, typed, problem };
}

/** Records the test. An accepted one shows that the endpoint works: true if it was paused. */
async function recordTest(
  call: DashboardCall,
  { url, endpointId }: TestTarget,
  { eventId, log }: Pick<TestResult, 'eventId' | 'log'>,
): Promise<boolean> {
  const tenant = tenantOf(call);
  const endpoint = endpointId ?? endpointOrigin(url) ?? '';
  const detail = { eventId, httpStatus: log.httpStatus };
  const sent = audited(call, { action: 'webhook.test_sent', target: endpoint, detail });
  if (!isAccepted(log)) {
    await runBatch(call.env.DB, [sent]);
    return false;
  }
  const [wasPaused] = await runBatch(call.env.DB, [
    ...resumeStatements(call, endpoint),
    clearEndpoint(tenant, endpoint),
    sent,
  ]);
  forgetSettingsOf(tenant);
  return wasPaused === 1;
}
