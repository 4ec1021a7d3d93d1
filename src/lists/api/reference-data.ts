import type { MerchantCall } from '../../engine/api/call.ts';
import { type Bank, banks } from '../../engine/merchants/directory.ts';
import { keysOfEvents, type PublishedKey } from '../../engine/webhooks/published-keys.ts';
import { isoTime } from '../../kit/ethiopian-time.ts';
import { successResponse } from '../../kit/http/envelope.ts';
import type { Environment } from '../../kit/tenant.ts';

/** GET /api/v1/payment/banks: the banks that splits can name (docs/decisions.md#28). */
export async function listBanks(call: MerchantCall): Promise<Response> {
  const known = await banks({ ...call, url: call.request.url });
  return successResponse('Banks found', [...known.values()].map(bankContent));
}

export type BankContent = ReturnType<typeof bankContent>;

function bankContent({ code, name, supportsWithdrawal }: Bank) {
  return { code, name, supportsWithdrawal };
}

/**
 * GET …/webhook-keys: the public keys that verify `signature`, newest first, retired ones too. Needs
 * no API key.
 */
export async function listWebhookKeys(env: Env, environment: Environment): Promise<Response> {
  const keys = await keysOfEvents(env, environment, Date.now());
  return successResponse('Webhook keys found', keys.map(keyContent));
}

export type WebhookKeyContent = ReturnType<typeof keyContent>;

function keyContent({ keyId, publicKey, retired }: PublishedKey) {
  return {
    keyId,
    algorithm: 'SHA256withRSA',
    publicKey,
    retiredAt: retired && isoTime(retired.atMs),
    publishedUntil: retired && isoTime(retired.publishedUntilMs),
  };
}
