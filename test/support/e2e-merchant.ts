import { randomUUID } from 'node:crypto';
import { type BrandingChanges, brandingStatements } from '../../scripts/dev/branding.ts';
import { prepareLocalDatabase } from '../../scripts/dev/d1.ts';
import { localSecrets } from '../../scripts/dev/local-secrets.ts';
import { keyRing } from '../../src/config.ts';
import { seal } from '../../src/crypto/sealed.ts';
import type { Tenant } from '../../src/domain/intent.ts';
import { METHODS } from '../../src/domain/method.ts';
import { generateApiKey } from '../../src/merchants/api-key.ts';
import {
  addWebhookSecret,
  createMerchant,
  issueApiKey,
  setWebhookUrl,
} from '../../src/merchants/provision.ts';
import { generateWebhookSecret } from '../../src/merchants/webhook-secret.ts';
import { webhookSecretContext } from '../../src/webhooks/settings.ts';

/** What a further merchant of a test's gateway has. */
export interface SeededMerchant {
  readonly id: string;
  readonly sandboxApiKey: string;
  readonly sandboxWebhookSecret: string;
}

export interface MerchantSeed {
  readonly name: string;
  /** Where events of the sandbox go that name no callbackUrl. */
  readonly webhookUrl?: string;
  readonly branding?: BrandingChanges;
}

/** Puts a merchant into the database of a gateway that has not started yet. */
export async function seedMerchant(
  stateDirectory: string,
  { name, webhookUrl, branding = {} }: MerchantSeed,
): Promise<SeededMerchant> {
  const merchant = {
    id: randomUUID(),
    sandboxApiKey: generateApiKey('sandbox'),
    sandboxWebhookSecret: generateWebhookSecret(),
  };
  const tenant: Tenant = { environment: 'sandbox', merchantId: merchant.id };
  const createdAtMs = Date.now();
  const methods = METHODS.map((method) => ({
    method,
    enabled: true,
    rate: { basisPoints: 0, fixedMinor: 0 },
  }));
  const keys = keyRing('DATA_ENCRYPTION_KEYS', (await localSecrets()).DATA_ENCRYPTION_KEYS);
  const context = webhookSecretContext(tenant);
  const sealedSecret = await seal(keys, merchant.sandboxWebhookSecret, context);
  const issue = await issueApiKey(tenant, {
    apiKey: merchant.sandboxApiKey,
    name: 'First key',
    createdAtMs,
  });
  await prepareLocalDatabase(stateDirectory, async () => [
    ...createMerchant({
      id: merchant.id,
      name,
      methods: { sandbox: methods, production: methods },
      createdAtMs,
    }),
    ...brandingStatements(merchant.id, branding, createdAtMs),
    issue,
    setWebhookUrl(tenant, webhookUrl ?? null),
    addWebhookSecret(tenant, { id: randomUUID(), sealedSecret, createdAtMs, expiresAtMs: null }),
  ]);
  return merchant;
}
