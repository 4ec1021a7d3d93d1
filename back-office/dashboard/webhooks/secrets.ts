import { OVERLAP_HOURS, SECRETS_MAX } from '../../../src/engine/webhooks/secret-rules.ts';
import { found, problem } from '../../../src/kit/http/problem.ts';
import { countText } from '../../../src/kit/i18n/money-text.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall, tenantOf } from '../call.ts';
import type { Refusal } from '../frame.tsx';
import { endpointPath, webhooksPath } from '../paths.ts';
import { type Asked, confirmedPost, inProduction, wrong } from '../people/confirmation.ts';
import { type DashboardRoute, post } from '../route.ts';
import type { SecretsState } from './secrets-section.tsx';

/** Shows the page of the secrets after a form about them. */
type Answer = (call: DashboardCall, state: SecretsState, refusal: Refusal) => Promise<Response>;

/**
 * The forms about signing secrets: those of the endpoint that the path names, else those of the
 * environment. Production asks for the passkey: the holder of a secret could sign "paid"
 * (docs/decisions.md#42).
 */
export function secretRoutes(
  page: DashboardRoute['path'],
  answer: Answer,
): readonly DashboardRoute[] {
  const secrets = `${page}/secrets` as const;
  const one = `${secrets}/:secretId` as const;
  return [
    ...confirmedPost(secrets, 'develop', 'webhook-secret', (call) => readRotation(call, answer)),
    ...confirmedPost(`${one}/show`, 'develop', 'webhook-secret', (call) =>
      readShowing(call, answer),
    ),
    post(`${one}/end`, 'develop', (call) => endSecretNow(call, answer)),
  ];
}

function endpointOf({ params }: DashboardCall): string | null {
  return params.endpoint ?? null;
}

function refuse(
  call: DashboardCall,
  answer: Answer,
  reason: 'tooMany' | 'unreadable' | 'cannotEnd' | 'unconfirmed',
): Promise<Response> {
  const { webhooks: text, frame } = DASHBOARD_TEXTS[call.language];
  const most = countText(SECRETS_MAX, frame.locale);
  const statuses = { tooMany: 400, unreadable: 200, cannotEnd: 400, unconfirmed: 403 };
  const problemText = reason === 'tooMany' ? text.tooMany(most) : text[reason];
  return answer(call, { problem: problemText }, { status: statuses[reason] });
}

async function secretsInForce(call: DashboardCall) {
  return found(await call.payments.webhooks.secrets(tenantOf(call), endpointOf(call)));
}

/** POST …/secrets: a new signing secret; the old ones end after the chosen overlap. */
async function readRotation(call: DashboardCall, answer: Answer): Promise<Asked> {
  await secretsInForce(call);
  const endpointId = endpointOf(call);
  const overlap = OVERLAP_HOURS.find((hours) => hours === call.form.text('overlapHours'));
  if (overlap === undefined) {
    const { badOverlap } = DASHBOARD_TEXTS[call.language].webhooks;
    return wrong(() => answer(call, {}, { problems: [['overlap', badOverlap]] }));
  }
  return {
    action: inProduction(call, ['rotate', endpointId, overlap]),
    run: async () => {
      const { addSecret } = call.payments.webhooks;
      const secret = await addSecret(tenantOf(call), actorOf(call), endpointId, overlap);
      return secret === null
        ? refuse(call, answer, 'tooMany')
        : answer(call, { shown: { ...secret, isNew: true } }, {});
    },
    refuse: () => refuse(call, answer, 'unconfirmed'),
  };
}

/** POST …/secrets/:secretId/show: the value of a secret in force, in this answer only. */
async function readShowing(call: DashboardCall, answer: Answer): Promise<Asked> {
  const endpointId = endpointOf(call);
  const known = await secretsInForce(call);
  const { id } = found(known.find((secret) => secret.id === call.params.secretId));
  return {
    action: inProduction(call, ['show', endpointId, id]),
    run: async () => {
      const { webhooks } = call.payments;
      const opened = await webhooks.showSecret(tenantOf(call), actorOf(call), endpointId, id);
      switch (opened.type) {
        case 'not_found':
          throw problem('not_found');
        case 'unreadable':
          return refuse(call, answer, 'unreadable');
        case 'opened':
          return answer(call, { shown: { id, value: opened.value, isNew: false } }, {});
      }
    },
    refuse: () => refuse(call, answer, 'unconfirmed'),
  };
}

/** POST …/secrets/:secretId/end */
async function endSecretNow(call: DashboardCall, answer: Answer): Promise<Response> {
  const { environment, params, payments } = call;
  const endpointId = endpointOf(call);
  const { endSecret } = payments.webhooks;
  switch (await endSecret(tenantOf(call), actorOf(call), endpointId, params.secretId ?? '')) {
    case 'not_found':
      throw problem('not_found');
    case 'last':
      return refuse(call, answer, 'cannotEnd');
    case 'ended': {
      const page =
        endpointId === null ? webhooksPath(environment) : endpointPath(environment, endpointId);
      return redirectTo(page, { done: 'ended' });
    }
  }
}
