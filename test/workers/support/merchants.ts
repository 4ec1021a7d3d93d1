import type { D1Migration } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { createApiKey, revokeApiKey } from '../../../src/control/merchants/change-keys.ts';
import { createMerchant } from '../../../src/control/merchants/provision.ts';
import { configOf } from '../../../src/engine/config.ts';
import { METHODS } from '../../../src/engine/domain/method.ts';
import { apiKeyDigest, generateApiKey } from '../../../src/engine/merchants/api-key.ts';
import {
  deleteEndpoint,
  type EndpointSettings,
  insertEndpoint,
  OF_SERVER,
} from '../../../src/engine/webhooks/endpoint-store.ts';
import { insertSecret, webhookSecretFrom } from '../../../src/engine/webhooks/secret-store.ts';
import { webhookSecretContext } from '../../../src/engine/webhooks/settings.ts';
import { utf8 } from '../../../src/kit/crypto/encoding.ts';
import { seal } from '../../../src/kit/crypto/sealed.ts';
import type { SqlStatement } from '../../../src/kit/platform/database.ts';
import type { Tenant } from '../../../src/kit/tenant.ts';
import { ENVIRONMENTS, type Environment } from '../../../src/kit/tenant.ts';

export interface TestMerchant {
  readonly id: string;
  readonly name: string;
  readonly apiKeys: Readonly<Record<Environment, string>>;
  readonly revokedApiKeys: Readonly<Record<Environment, string>>;
  readonly webhookSecret: string;
}

export const ALPHA = await testMerchant('mer_alpha', 'Addis Books', 10);
export const BETA = await testMerchant('mer_beta', 'Bahir Dar Coffee', 20);

async function testMerchant(id: string, name: string, seed: number): Promise<TestMerchant> {
  const bytes = (offset: number) => new Uint8Array(32).fill(seed + offset);
  const apiKey = (environment: Environment, offset: number) =>
    generateApiKey(configOf(env).dataEncryptionKeys, environment, bytes(offset));
  return {
    id,
    name,
    apiKeys: {
      sandbox: await apiKey('sandbox', 0),
      production: await apiKey('production', 1),
    },
    revokedApiKeys: {
      sandbox: await apiKey('sandbox', 2),
      production: await apiKey('production', 3),
    },
    webhookSecret: webhookSecretFrom(bytes(4)),
  };
}

export function tenantOf(merchant: TestMerchant, environment: Environment = 'sandbox'): Tenant {
  return { merchantId: merchant.id, environment };
}

export async function runSql(
  statements: readonly SqlStatement[],
  database = env.DB,
): Promise<void> {
  await database.batch(statements.map(({ sql, params }) => database.prepare(sql).bind(...params)));
}

/** The endpoint of ALPHA that `setEndpoint` adds, in its sandbox. */
export const ENDPOINT_ID = 'we_alpha_sandbox';

/** The only endpoint of a tenant; null: none. */
export async function setEndpoint(
  merchant: TestMerchant,
  url: string | null,
  environment: Environment = 'sandbox',
  changes: Partial<EndpointSettings> = {},
): Promise<void> {
  const tenant = tenantOf(merchant, environment);
  const endpointId = `we_${merchant.id.replace('mer_', '')}_${environment}`;
  await runSql(deleteEndpoint(tenant, endpointId));
  if (url !== null) {
    await addEndpoint(merchant, endpointId, { url, ...changes }, environment);
  }
}

/** The secret that signs for an endpoint of a test: no other endpoint has it, and no environment. */
export function endpointSecret(endpointId: string): string {
  const bytes = new Uint8Array(32);
  bytes.set(utf8(endpointId).subarray(0, bytes.length));
  return webhookSecretFrom(bytes);
}

/** An endpoint for all events with `endpointSecret`, unless changed. */
export async function addEndpoint(
  merchant: TestMerchant,
  endpointId: string,
  settings: Pick<EndpointSettings, 'url'> & Partial<EndpointSettings>,
  environment: Environment = 'sandbox',
): Promise<void> {
  const tenant = tenantOf(merchant, environment);
  const keyRing = configOf(env).dataEncryptionKeys;
  const context = webhookSecretContext(tenant, endpointId);
  const secret = {
    id: `${endpointId}-secret`,
    sealedSecret: await seal(keyRing, endpointSecret(endpointId), context),
    createdAtMs: Date.now(),
  };
  const defaults = {
    eventTypes: [],
    description: '',
    isEnabled: true,
    signatureHeader: null,
    ...OF_SERVER,
  };
  await runSql([
    insertEndpoint(tenant, { ...defaults, ...settings, endpointId, createdAtMs: Date.now() }),
    insertSecret({ ...tenant, endpointId }, secret, Date.now()),
  ]);
}

/** Both merchants: every method at 1 % commission, a valid and a revoked key, one webhook secret. */
async function merchantStatements(): Promise<readonly SqlStatement[]> {
  const methods = METHODS.map((method) => ({
    method,
    rate: { basisPoints: 100, fixedMinor: 0 },
  }));
  const keyRing = configOf(env).dataEncryptionKeys;
  const statements: SqlStatement[] = [];
  for (const { id, name, apiKeys, revokedApiKeys, webhookSecret } of [ALPHA, BETA]) {
    statements.push(...createMerchant({ id, name, methods, createdAtMs: 0 }));
    for (const environment of ENVIRONMENTS) {
      const tenant = { merchantId: id, environment };
      const apiKey = apiKeys[environment];
      const revoked = revokedApiKeys[environment];
      const sealedSecret = await seal(keyRing, webhookSecret, webhookSecretContext(tenant));
      statements.push(
        await createApiKey(tenant, { apiKey, name: 'valid', createdAtMs: 0 }),
        await createApiKey(tenant, { apiKey: revoked, name: 'revoked', createdAtMs: 0 }),
        revokeApiKey(tenant, await apiKeyDigest(revoked), 1),
        insertSecret(
          { ...tenant, endpointId: null },
          { id: `${id}-${environment}`, sealedSecret, createdAtMs: 0 },
          0,
        ),
      );
    }
  }
  return statements;
}

let seed: Promise<readonly SqlStatement[]> | undefined;

/** The schemas and both merchants, in a batch of each database at the start of every test. */
export async function prepareDatabases(): Promise<void> {
  seed ??= merchantStatements();
  await Promise.all([
    runSql([...schemaOf(env.TEST_MIGRATIONS), ...(await seed)]),
    runSql(schemaOf(env.TEST_BACK_OFFICE_MIGRATIONS), env.BACK_OFFICE_DB),
  ]);
}

/** The schemas alone: a new gateway. */
export async function prepareSchemas(): Promise<void> {
  await Promise.all([
    runSql(schemaOf(env.TEST_MIGRATIONS)),
    runSql(schemaOf(env.TEST_BACK_OFFICE_MIGRATIONS), env.BACK_OFFICE_DB),
  ]);
}

/** As one statement: the local D1 does a lot beside each, and every test creates the schemas. */
function schemaOf(migrations: readonly D1Migration[]): readonly SqlStatement[] {
  return [{ sql: migrations.flatMap(({ queries }) => queries).join(';\n'), params: [] }];
}
