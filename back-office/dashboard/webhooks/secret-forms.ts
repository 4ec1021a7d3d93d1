import { runBatch } from '../../../src/database.ts';
import { findEndpoint } from '../../../src/webhooks/endpoint-store.ts';
import {
  deleteEnded,
  endSecret,
  expireOthers,
  insertSecret,
  mayEnd,
  newSecret,
  OVERLAP_HOURS,
  openSecret,
  type SecretOwner,
  secretsInForce,
} from '../../../src/webhooks/secret-store.ts';
import { forgetSettingsOf } from '../../../src/webhooks/settings.ts';
import { redirectTo } from '../../ui/answer.ts';
import { audited, auditedIfChanged } from '../audited.ts';
import { type DashboardCall, tenantOf } from '../call.ts';
import { noticePage } from '../notices.tsx';
import { endpointPath, webhooksPath } from '../paths.ts';
import { isConfirmedInProduction, offerInProduction } from '../people/confirmation.ts';
import { answerEndpoint } from './endpoint-page.tsx';
import type { SecretsState } from './secrets-section.tsx';
import { answerSettings } from './settings-page.tsx';

/**
 * The forms about signing secrets: those of the endpoint that the path names, else those of the
 * environment.
 */

const HOUR_MS = 60 * 60 * 1_000;
const BAD_REQUEST = 400;
const FORBIDDEN = 403;

function ownerOf(call: DashboardCall): SecretOwner {
  return { ...tenantOf(call), endpointId: call.params.endpoint ?? null };
}

function answer(call: DashboardCall, secrets: SecretsState, status = 200): Promise<Response> {
  const { endpointId } = ownerOf(call);
  return endpointId === null
    ? answerSettings(call, { secrets }, status)
    : answerEndpoint(call, endpointId, { secrets }, status);
}

/**
 * POST …/secrets/options: asks for the passkey in production, where the holder of a secret could sign
 * "paid" (docs/decisions.md#42).
 */
export async function beginRotateSecret(call: DashboardCall): Promise<Response> {
  const { endpointId } = ownerOf(call);
  if (endpointId !== null && !(await findEndpoint(call.env.DB, tenantOf(call), endpointId))) {
    return noticePage(call, 'not_found');
  }
  const overlapHours = overlapIn(call);
  const action = overlapHours === undefined ? null : rotation(call, overlapHours);
  return offerInProduction(call, 'webhook-secret', action);
}

/** POST …/secrets/:secretId/show/options: the same for a secret in force. */
export async function beginShowSecret(call: DashboardCall): Promise<Response> {
  const { secretId } = call.params;
  const known = await secretsInForce(call.env.DB, ownerOf(call), call.nowMs);
  return known.some(({ id }) => id === secretId)
    ? offerInProduction(call, 'webhook-secret', showing(call))
    : noticePage(call, 'not_found');
}

function overlapIn({ form }: DashboardCall) {
  return OVERLAP_HOURS.find((hours) => hours === form.text('overlapHours'));
}

function rotation(call: DashboardCall, overlapHours: string) {
  return ['rotate', ownerOf(call).endpointId, overlapHours];
}

function showing(call: DashboardCall) {
  return ['show', ownerOf(call).endpointId, call.params.secretId ?? ''];
}

/** POST …/secrets: a new signing secret; the old ones end after the chosen overlap. */
export async function rotateSecret(call: DashboardCall): Promise<Response> {
  const { env, config, nowMs } = call;
  const overlapHours = overlapIn(call);
  if (overlapHours === undefined) {
    return answer(call, { problem: 'badOverlap' }, BAD_REQUEST);
  }
  if (!(await isConfirmedInProduction(call, 'webhook-secret', rotation(call, overlapHours)))) {
    return answer(call, { problem: 'unconfirmed' }, FORBIDDEN);
  }
  const owner = ownerOf(call);
  const secret = await newSecret(config, owner, nowMs);
  const { id, value } = secret;
  const oldExpireAtMs = nowMs + Number(overlapHours) * HOUR_MS;
  const [added] = await runBatch(env.DB, [
    insertSecret(owner, secret, oldExpireAtMs),
    auditedIfChanged(call, {
      action: 'webhook.secret_rotated',
      target: id,
      detail: { overlapHours: Number(overlapHours), ...endpointDetail(owner) },
    }),
    expireOthers(owner, id, oldExpireAtMs),
    deleteEnded(owner, nowMs),
  ]);
  if (added !== 1) {
    return answer(call, { problem: 'tooMany' }, BAD_REQUEST);
  }
  forgetSettingsOf(owner);
  return answer(call, { shown: { id, value, isNew: true } });
}

function endpointDetail({ endpointId }: SecretOwner) {
  return endpointId === null ? {} : { endpoint: endpointId };
}

/** POST …/secrets/:secretId/show: its value, in this answer only. */
export async function showSecret(call: DashboardCall): Promise<Response> {
  const { secretId: id = '' } = call.params;
  const owner = ownerOf(call);
  const opened = await openSecret(call.env, owner, id, call.nowMs);
  if (opened.type === 'not_found') {
    return noticePage(call, 'not_found');
  }
  if (!(await isConfirmedInProduction(call, 'webhook-secret', showing(call)))) {
    return answer(call, { problem: 'unconfirmed' }, FORBIDDEN);
  }
  if (opened.type === 'unreadable') {
    return answer(call, { problem: 'unreadable' });
  }
  const detail = endpointDetail(owner);
  await runBatch(call.env.DB, [
    audited(call, { action: 'webhook.secret_shown', target: id, detail }),
  ]);
  return answer(call, { shown: { id, value: opened.value, isNew: false } });
}

/** POST …/secrets/:secretId/end */
export async function endSecretNow(call: DashboardCall): Promise<Response> {
  const { env, environment, nowMs } = call;
  const owner = ownerOf(call);
  const { secretId: id = '' } = call.params;
  const secrets = await secretsInForce(env.DB, owner, nowMs);
  const secret = secrets.find((known) => known.id === id);
  if (secret === undefined) {
    return noticePage(call, 'not_found');
  }
  if (!mayEnd(secret, secrets)) {
    return answer(call, { problem: 'cannotEnd' }, BAD_REQUEST);
  }
  const detail = endpointDetail(owner);
  await runBatch(env.DB, [
    endSecret(owner, id, nowMs),
    auditedIfChanged(call, { action: 'webhook.secret_ended', target: id, detail }),
  ]);
  forgetSettingsOf(owner);
  const { endpointId } = owner;
  const page =
    endpointId === null ? webhooksPath(environment) : endpointPath(environment, endpointId);
  return redirectTo(page, { done: 'ended' });
}
