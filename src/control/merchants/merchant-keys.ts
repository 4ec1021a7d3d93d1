import { withoutPhoneNumbers } from '../../engine/domain/phone.ts';
import { found } from '../../kit/http/problem.ts';
import { body } from '../../kit/http/strict-body.ts';
import { ENVIRONMENTS, type Environment } from '../../kit/tenant.ts';
import { action, changeAudited, type Gateway, type Target } from '../operator/call.ts';
import { lineField, REASON_CHARACTERS_MAX, tenantIn } from '../operator/fields.ts';
import { revokeApiKey } from './change-keys.ts';
import { type ApiKeyView, apiKeyBy, apiKeys } from './keys.ts';
import { knownMerchant } from './merchant-rows.ts';

/** A merchant's API keys, as the operator sees and revokes them. */

export interface MerchantKey extends ApiKeyView {
  readonly environment: Environment;
}

/** The keys of both environments: of each the valid ones first. Problem 404 for no such merchant. */
export async function merchantKeys(
  gateway: Gateway,
  target: Target,
): Promise<readonly MerchantKey[]> {
  const { id: merchantId } = await knownMerchant(gateway, target);
  const keys = await Promise.all(
    ENVIRONMENTS.map(async (environment) => {
      const views = await apiKeys(gateway.env.DB, { environment, merchantId }, gateway.nowMs);
      return views.map((view) => ({ environment, ...view }));
    }),
  );
  return keys.flat();
}

/** The key is rejected everywhere within 10 s. Problem 404 for an unknown key. */
export const revokeMerchantKey = action(
  body({ reason: lineField(REASON_CHARACTERS_MAX) }),
  async (call, target, { reason }) => {
    const tenant = tenantIn(target);
    const key = found(await apiKeyBy(call.env.DB, tenant, { digest: target.digest ?? '' }));
    const isChanged = await changeAudited(call, revokeApiKey(tenant, key.digest, call.nowMs), {
      ...tenant,
      action: 'api_key.revoked',
      target: `…${key.hint}`,
      detail: { name: key.name, reason: withoutPhoneNumbers(reason) },
    });
    return { isChanged };
  },
);
