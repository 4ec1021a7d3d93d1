import { createHash, createPrivateKey, createPublicKey, hkdfSync, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { logoFrom } from '../../src/control/merchants/branding.ts';
import { addLogo, setBranding } from '../../src/control/merchants/change-branding.ts';
import { createApiKey } from '../../src/control/merchants/change-keys.ts';
import { createMerchant } from '../../src/control/merchants/provision.ts';
import { keyRing } from '../../src/engine/config.ts';
import { METHODS, type Method } from '../../src/engine/domain/method.ts';
import type { CommissionRate } from '../../src/engine/domain/money.ts';
import { API_KEY_RANDOM_BYTES, generateApiKey } from '../../src/engine/merchants/api-key.ts';
import type { Logo } from '../../src/engine/merchants/logo.ts';
import {
  insertSecret,
  WEBHOOK_SECRET_BYTES,
  webhookSecretFrom,
} from '../../src/engine/webhooks/secret-store.ts';
import { webhookSecretContext } from '../../src/engine/webhooks/settings.ts';
import type { KeyRing } from '../../src/kit/crypto/key-ring.ts';
import { seal } from '../../src/kit/crypto/sealed.ts';
import type { SqlStatement } from '../../src/kit/platform/database.ts';
import type { Tenant } from '../../src/kit/tenant.ts';
import { ENVIRONMENTS, type Environment } from '../../src/kit/tenant.ts';
import { PROJECT_DIRECTORY, readIfPresent, readOrCreate, writeWhole } from '../project/files.ts';
import type { Secrets } from '../project/secrets.ts';
import { databaseIds, prepareLocalDatabase, readMigrations } from './d1.ts';
import type { LocalDatabase } from './sql-worker.ts';

/** What a developer or a test needs to know about the local gateway. */
export interface DemoMerchant {
  readonly baseUrl: string;
  readonly merchantId: string;
  readonly sandboxApiKey: string;
  readonly productionApiKey: string;
  readonly sandboxWebhookSecret: string;
  readonly productionWebhookSecret: string;
  /** SPKI PEM. */
  readonly webhookPublicKeys: Readonly<Record<Environment, string>>;
}

const WRANGLER_DIRECTORY = join(PROJECT_DIRECTORY, '.wrangler');
const SEED_FILE = join(WRANGLER_DIRECTORY, 'demo-merchant-seed');
export const DEMO_MERCHANT_FILE = join(WRANGLER_DIRECTORY, 'demo-merchant.json');

/** A gateway on this machine answers in milliseconds; a busy machine needs longer. */
const PROBE_TIMEOUT_MS = 5_000;

const MERCHANT_ID = 'demo';
const MERCHANT_NAME = 'Demo Shop';
const NO_COMMISSION: CommissionRate = { basisPoints: 0, fixedMinor: 0 };
/** Two methods have a commission, so that the checkout page shows one. */
const COMMISSIONS: Partial<Record<Method, CommissionRate>> = {
  TELE_BIRR: { basisPoints: 250, fixedMinor: 0 },
  M_PESA: { basisPoints: 150, fixedMinor: 100 },
};
/** Coffee brown, the background of the logo. */
const COLOR = '#7a3b12';
const LOGO_FILE = join(import.meta.dirname, 'demo-logo.png');

/**
 * The demo merchant behind `baseUrl`. Its keys are derived from a seed in `.wrangler` and the local
 * secrets, so they are the same in every state directory of this clone and differ between clones.
 */
export async function demoMerchant(baseUrl: string, secrets: Secrets): Promise<DemoMerchant> {
  const seed = await readOrCreate(SEED_FILE, async () => randomBytes(32).toString('hex'));
  const ring = keyRing('DATA_ENCRYPTION_KEYS', secrets.DATA_ENCRYPTION_KEYS);
  const apiKey = (environment: Environment) =>
    generateApiKey(
      ring,
      environment,
      derived(seed, `api-key/${environment}`, API_KEY_RANDOM_BYTES),
    );
  const webhookSecret = (environment: Environment) =>
    webhookSecretFrom(derived(seed, `webhook-secret/${environment}`, WEBHOOK_SECRET_BYTES));
  return {
    baseUrl,
    merchantId: MERCHANT_ID,
    sandboxApiKey: await apiKey('sandbox'),
    productionApiKey: await apiKey('production'),
    sandboxWebhookSecret: webhookSecret('sandbox'),
    productionWebhookSecret: webhookSecret('production'),
    webhookPublicKeys: {
      sandbox: publicKeyPem('WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX', secrets),
      production: publicKeyPem('WEBHOOK_RSA_PRIVATE_KEYS_PRODUCTION', secrets),
    },
  };
}

/** The demo merchant as scripts and tests read it; `baseUrl` is missing where it was not known. */
export type PublishedMerchant = Omit<DemoMerchant, 'baseUrl'> & {
  readonly baseUrl?: string | undefined;
};

/**
 * Writes the file that scripts and tests read, and returns true. The file keeps the address of
 * another gateway that runs from this folder, whose keys are the same.
 */
export async function publishDemoMerchant(merchant: PublishedMerchant): Promise<boolean> {
  const published = await publishedMerchant();
  const baseUrl = published?.baseUrl;
  if (baseUrl !== undefined && baseUrl !== merchant.baseUrl && (await serves(baseUrl, merchant))) {
    return false;
  }
  await writeWhole(DEMO_MERCHANT_FILE, `${JSON.stringify(merchant, null, 2)}\n`);
  return true;
}

/** Whether a gateway at this address knows the merchant's key. */
export async function serves(
  baseUrl: string,
  { sandboxApiKey }: PublishedMerchant,
): Promise<boolean> {
  try {
    const { ok } = await fetch(`${baseUrl}/api/v1/payment/banks`, {
      headers: { apiKey: sandboxApiKey },
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    return ok;
  } catch {
    return false;
  }
}

/** What a start of the gateway wrote, or null when there was none. */
export async function publishedMerchant(): Promise<PublishedMerchant | null> {
  const text = await readIfPresent(DEMO_MERCHANT_FILE);
  return text === null ? null : JSON.parse(text);
}

/** The same. Throws when there was none. */
export async function readDemoMerchant(): Promise<PublishedMerchant> {
  const merchant = await publishedMerchant();
  if (merchant === null) {
    throw new Error('There is no demo merchant yet: start `npm run dev` first.');
  }
  return merchant;
}

/**
 * Applies migrations to the local database in `stateDirectory` and adds the demo merchant. That
 * takes a second or two, so a mark beside the database records it and the next start skips it. A
 * kill at any moment does no harm; an existing merchant keeps its settings.
 */
export async function seedDemoMerchant(
  stateDirectory: string,
  merchant: DemoMerchant,
  secrets: Secrets,
): Promise<void> {
  const logo = await demoLogo();
  const mark = await fingerprintOf(merchant, logo, secrets);
  // Beside the database, so that both are deleted together.
  const markFile = join(stateDirectory, 'v3', 'd1', 'kefel-demo-merchant');
  if ((await readIfPresent(markFile)) === mark) {
    return;
  }
  const keys = keyRing('DATA_ENCRYPTION_KEYS', secrets.DATA_ENCRYPTION_KEYS);
  await prepareLocalDatabase(stateDirectory, (database) =>
    seedStatements(database, merchant, logo, keys),
  );
  await writeWhole(markFile, mark);
}

export async function demoLogo(): Promise<Logo> {
  const logo = await logoFrom(await readFile(LOGO_FILE));
  if (typeof logo === 'string') {
    throw new Error(`${LOGO_FILE}: ${logo}`);
  }
  return logo;
}

/** An existing merchant keeps its settings and gets the keys and the branding that it lacks. */
async function seedStatements(
  database: LocalDatabase,
  merchant: DemoMerchant,
  logo: Logo,
  keys: KeyRing,
): Promise<readonly SqlStatement[]> {
  const createdAtMs = Date.now();
  const isThere = async (sql: string) => {
    const [found] = await database.batch([{ sql, params: [merchant.merchantId] }]);
    return (found?.results.length ?? 0) > 0;
  };
  const statements: SqlStatement[] = [];
  if (!(await isThere('SELECT 1 FROM merchants WHERE id = ?1'))) {
    statements.push(...creationOf(merchant, createdAtMs));
  }
  // The merchant may have removed its color on purpose: the row stays as it is.
  if (!(await isThere('SELECT 1 FROM merchant_branding WHERE merchant_id = ?1'))) {
    const { merchantId } = merchant;
    statements.push(
      // The branding refers to the logo, so the logo comes first.
      addLogo(merchantId, logo, createdAtMs),
      setBranding(merchantId, { color: COLOR, logoDigest: logo.digest }),
    );
  }
  for (const environment of ENVIRONMENTS) {
    const tenant: Tenant = { environment, merchantId: merchant.merchantId };
    const { apiKey, webhookSecret } = credentialsOf(merchant, environment);
    const sealedSecret = await seal(keys, webhookSecret, webhookSecretContext(tenant));
    const id = `demo-${environment}`;
    statements.push(
      await createApiKey(tenant, { apiKey, name: 'Demo', createdAtMs }),
      // A new data key seals the same secret again.
      { sql: 'DELETE FROM webhook_secrets WHERE id = ?1', params: [id] },
      insertSecret(
        { ...tenant, endpointId: null },
        { id, sealedSecret, createdAtMs },
        // Other secrets, which a member has added, do not count against it.
        createdAtMs,
      ),
    );
  }
  return statements;
}

function creationOf(merchant: DemoMerchant, createdAtMs: number): readonly SqlStatement[] {
  const methods = METHODS.map((method) => ({
    method,
    rate: COMMISSIONS[method] ?? NO_COMMISSION,
  }));
  return createMerchant({
    id: merchant.merchantId,
    name: MERCHANT_NAME,
    methods,
    createdAtMs,
  });
}

/** The API key and webhook secret of one environment. */
export function credentialsOf(
  merchant: PublishedMerchant,
  environment: Environment,
): { readonly apiKey: string; readonly webhookSecret: string } {
  return environment === 'sandbox'
    ? { apiKey: merchant.sandboxApiKey, webhookSecret: merchant.sandboxWebhookSecret }
    : { apiKey: merchant.productionApiKey, webhookSecret: merchant.productionWebhookSecret };
}

/** Changes with everything that the seeded database depends on. */
async function fingerprintOf(
  merchant: DemoMerchant,
  logo: Logo,
  secrets: Secrets,
): Promise<string> {
  const parts = [
    ENVIRONMENTS.map((environment) => credentialsOf(merchant, environment)),
    secrets.DATA_ENCRYPTION_KEYS,
    await databaseIds(),
    await readMigrations(),
    [COLOR, logo.digest],
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function derived(seed: string, purpose: string, lengthBytes: number): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', seed, '', `kefel/demo/${purpose}`, lengthBytes));
}

/** Public half of the ring's first key, the one that signs. */
function publicKeyPem(
  name: 'WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX' | 'WEBHOOK_RSA_PRIVATE_KEYS_PRODUCTION',
  secrets: Secrets,
): string {
  const [signing] = keyRing(name, secrets[name]);
  const key = Buffer.from(signing.base64, 'base64');
  const publicKey = createPublicKey(createPrivateKey({ key, format: 'der', type: 'pkcs8' }));
  return publicKey.export({ format: 'pem', type: 'spki' }).toString();
}
