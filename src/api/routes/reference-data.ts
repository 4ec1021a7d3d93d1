import type { Environment } from '../../domain/method.ts';
import { successResponse } from '../../http/envelope.ts';
import { banks } from '../../merchants/directory.ts';
import { isoTime } from '../../webhooks/iso-time.ts';
import type { MerchantCall } from '../call.ts';

/** GET /api/v1/payment/banks: the banks that splits can name (docs/decisions.md#28). */
export async function listBanks(call: MerchantCall): Promise<Response> {
  const known = await banks(call.env, call.nowMs);
  const content = [...known.values()].map(({ code, name, supportsWithdrawal }) => ({
    code,
    name,
    supportsWithdrawal,
  }));
  return successResponse('Banks found', content);
}

/**
 * GET …/webhook-keys: the public keys that verify `signature`, newest first, retired ones too. Needs
 * no API key.
 */
export async function listWebhookKeys(env: Env, environment: Environment): Promise<Response> {
  const { keysOfEvents } = await import('../../webhooks/published-keys.ts');
  const keys = await keysOfEvents(env, environment, Date.now());
  const content = keys.map(({ keyId, publicKey, retired }) => ({
    keyId,
    algorithm: 'SHA256withRSA',
    publicKey,
    retiredAt: retired && isoTime(retired.atMs),
    publishedUntil: retired && isoTime(retired.publishedUntilMs),
  }));
  return successResponse('Webhook keys found', content);
}
