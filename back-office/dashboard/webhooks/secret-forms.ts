import { OVERLAP_HOURS } from '../../../src/webhooks/secret-rules.ts';
import { redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall, tenantOf } from '../call.ts';
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

const BAD_REQUEST = 400;
const FORBIDDEN = 403;

function endpointOf({ params }: DashboardCall): string | null {
  return params.endpoint ?? null;
}

function answer(call: DashboardCall, secrets: SecretsState, status = 200): Promise<Response> {
  const endpointId = endpointOf(call);
  return endpointId === null
    ? answerSettings(call, { secrets }, status)
    : answerEndpoint(call, endpointId, { secrets }, status);
}

/**
 * POST …/secrets/options: asks for the passkey in production, where the holder of a secret could sign
 * "paid" (docs/decisions.md#42).
 */
export async function beginRotateSecret(call: DashboardCall): Promise<Response> {
  if ((await secretsInForce(call)) === null) {
    return noticePage(call, 'not_found');
  }
  const overlapHours = overlapIn(call);
  const action = overlapHours === undefined ? null : rotation(call, overlapHours);
  return offerInProduction(call, 'webhook-secret', action);
}

/** POST …/secrets/:secretId/show/options: the same for a secret in force. */
export async function beginShowSecret(call: DashboardCall): Promise<Response> {
  return (await isInForce(call))
    ? offerInProduction(call, 'webhook-secret', showing(call))
    : noticePage(call, 'not_found');
}

function secretsInForce(call: DashboardCall) {
  return call.payments.webhooks.secrets(tenantOf(call), endpointOf(call));
}

async function isInForce(call: DashboardCall): Promise<boolean> {
  const known = await secretsInForce(call);
  return known?.some(({ id }) => id === call.params.secretId) ?? false;
}

function overlapIn({ form }: DashboardCall) {
  return OVERLAP_HOURS.find((hours) => hours === form.text('overlapHours'));
}

function rotation(call: DashboardCall, overlapHours: string) {
  return ['rotate', endpointOf(call), overlapHours];
}

function showing(call: DashboardCall) {
  return ['show', endpointOf(call), call.params.secretId ?? ''];
}

/** POST …/secrets: a new signing secret; the old ones end after the chosen overlap. */
export async function rotateSecret(call: DashboardCall): Promise<Response> {
  const overlapHours = overlapIn(call);
  if (overlapHours === undefined) {
    return answer(call, { problem: 'badOverlap' }, BAD_REQUEST);
  }
  if (!(await isConfirmedInProduction(call, 'webhook-secret', rotation(call, overlapHours)))) {
    return answer(call, { problem: 'unconfirmed' }, FORBIDDEN);
  }
  const { addSecret } = call.payments.webhooks;
  const secret = await addSecret(tenantOf(call), actorOf(call), endpointOf(call), overlapHours);
  return secret === null
    ? answer(call, { problem: 'tooMany' }, BAD_REQUEST)
    : answer(call, { shown: { ...secret, isNew: true } });
}

/** POST …/secrets/:secretId/show: its value, in this answer only. */
export async function showSecret(call: DashboardCall): Promise<Response> {
  const { secretId: id = '' } = call.params;
  if (!(await isInForce(call))) {
    return noticePage(call, 'not_found');
  }
  if (!(await isConfirmedInProduction(call, 'webhook-secret', showing(call)))) {
    return answer(call, { problem: 'unconfirmed' }, FORBIDDEN);
  }
  const { webhooks } = call.payments;
  const opened = await webhooks.showSecret(tenantOf(call), actorOf(call), endpointOf(call), id);
  switch (opened.type) {
    case 'not_found':
      return noticePage(call, 'not_found');
    case 'unreadable':
      return answer(call, { problem: 'unreadable' });
    case 'opened':
      return answer(call, { shown: { id, value: opened.value, isNew: false } });
  }
}

/** POST …/secrets/:secretId/end */
export async function endSecretNow(call: DashboardCall): Promise<Response> {
  const { environment, params, payments } = call;
  const endpointId = endpointOf(call);
  const { secretId = '' } = params;
  const { endSecret } = payments.webhooks;
  switch (await endSecret(tenantOf(call), actorOf(call), endpointId, secretId)) {
    case 'not_found':
      return noticePage(call, 'not_found');
    case 'last':
      return answer(call, { problem: 'cannotEnd' }, BAD_REQUEST);
    case 'ended': {
      const page =
        endpointId === null ? webhooksPath(environment) : endpointPath(environment, endpointId);
      return redirectTo(page, { done: 'ended' });
    }
  }
}
