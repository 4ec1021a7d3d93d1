import { randomUUID } from 'node:crypto';
import { prepareLocalDatabase } from '../../scripts/dev/d1.ts';
import { localSecrets } from '../../scripts/dev/local-secrets.ts';
import { createApiKey } from '../../src/control/merchants/change-keys.ts';
import { createMerchant } from '../../src/control/merchants/provision.ts';
import { keyRing } from '../../src/engine/config.ts';
import { METHODS } from '../../src/engine/domain/method.ts';
import { generateApiKey } from '../../src/engine/merchants/api-key.ts';
import { insertSecret, webhookSecretFrom } from '../../src/engine/webhooks/secret-store.ts';
import { webhookSecretContext } from '../../src/engine/webhooks/settings.ts';
import type { KeyRing } from '../../src/kit/crypto/key-ring.ts';
import { seal } from '../../src/kit/crypto/sealed.ts';
import type { SqlStatement } from '../../src/kit/platform/database.ts';

/** A merchant of a test's gateway. */
export interface TestMerchant {
  readonly id: string;
  readonly name: string;
  readonly sandboxApiKey: string;
  readonly productionApiKey: string;
  readonly sandboxWebhookSecret: string;
}

/** telebirr costs 2.5 %, so that pages show a commission. */
const TELEBIRR_BASIS_POINTS = 250;

export async function newMerchant(name: string): Promise<TestMerchant> {
  const keys = await dataKeys();
  return {
    id: randomUUID(),
    name,
    sandboxApiKey: await generateApiKey(keys, 'sandbox'),
    productionApiKey: await generateApiKey(keys, 'production'),
    sandboxWebhookSecret: webhookSecretFrom(),
  };
}

/** Writes merchants into the database of a gateway that has not started yet. */
export async function seedMerchants(
  stateDirectory: string,
  merchants: readonly TestMerchant[],
): Promise<void> {
  const keys = await dataKeys();
  const statements = await Promise.all(merchants.map((merchant) => statementsFor(merchant, keys)));
  await prepareLocalDatabase(stateDirectory, async () => statements.flat());
}

async function dataKeys(): Promise<KeyRing> {
  return keyRing('DATA_ENCRYPTION_KEYS', (await localSecrets()).DATA_ENCRYPTION_KEYS);
}

async function statementsFor(
  merchant: TestMerchant,
  keys: KeyRing,
): Promise<readonly SqlStatement[]> {
  const { id, name } = merchant;
  const createdAtMs = Date.now();
  const methods = METHODS.map((method) => ({
    method,
    rate: {
      basisPoints: method === 'TELE_BIRR' ? TELEBIRR_BASIS_POINTS : 0,
      fixedMinor: 0,
    },
  }));
  const sandbox = { environment: 'sandbox', merchantId: id } as const;
  const production = { environment: 'production', merchantId: id } as const;
  const key = (apiKey: string) => ({ apiKey, name: 'First key', createdAtMs });
  const sealedSecret = await seal(
    keys,
    merchant.sandboxWebhookSecret,
    webhookSecretContext(sandbox),
  );
  return [
    ...createMerchant({ id, name, methods, createdAtMs }),
    await createApiKey(sandbox, key(merchant.sandboxApiKey)),
    await createApiKey(production, key(merchant.productionApiKey)),
    insertSecret(
      { ...sandbox, endpointId: null },
      { id: randomUUID(), sealedSecret, createdAtMs },
      createdAtMs,
    ),
  ];
}
