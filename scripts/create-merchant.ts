/**
 * `npm run merchant:create -- --name "Abebe Coffee" [--remote]`: a merchant with an API key and a
 * webhook secret for each environment, shown once. Options:
 *
 *   --name TEXT                    required
 *   --id TEXT                      letters, digits, hyphens; random when absent
 *   --methods all|A,B,…            enabled methods, in both environments (all)
 *   --webhook-url-sandbox URL      where events go that name no callbackUrl
 *   --webhook-url-production URL
 *   --colour '#rrggbb'             the merchant's colour on the customers' pages
 *   --logo FILE                    its logo: PNG, WebP or JPEG, at most 16 KiB
 *   --remote                       the deployed database; DATA_ENCRYPTION_KEYS must be in the
 *                                  environment with the deployed value
 *   --persist-to DIR               the local database of `npm run dev -- --persist-to DIR`
 */
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type KeyRing, keyRing } from '../src/config.ts';
import { seal } from '../src/crypto/sealed.ts';
import type { SqlStatement } from '../src/database.ts';
import type { Tenant } from '../src/domain/intent.ts';
import { ENVIRONMENTS, type Environment, METHODS, type Method } from '../src/domain/method.ts';
import { generateApiKey } from '../src/merchants/api-key.ts';
import {
  addWebhookSecret,
  createMerchant,
  issueApiKey,
  setWebhookUrl,
} from '../src/merchants/provision.ts';
import { generateWebhookSecret } from '../src/merchants/webhook-secret.ts';
import { webhookSecretContext } from '../src/webhooks/settings.ts';
import {
  BRANDING_OPTIONS,
  type BrandingChanges,
  brandingChanges,
  brandingStatements,
} from './branding.ts';
import { executeRemotely, prepareLocalDatabase } from './d1.ts';
import { DEFAULT_STATE_DIRECTORY } from './files.ts';
import { localSecrets } from './local-secrets.ts';

interface MerchantOptions {
  readonly merchantId: string;
  readonly name: string;
  readonly methods: readonly Method[];
  readonly webhookUrls: Readonly<Record<Environment, string | null>>;
  readonly branding: BrandingChanges;
  readonly remote: boolean;
  readonly stateDirectory: string;
}

interface Credentials {
  readonly apiKey: string;
  readonly webhookSecret: string;
}

async function main(): Promise<void> {
  const options = await merchantOptions();
  const keys = await dataEncryptionKeys(options.remote);
  const credentials = {
    sandbox: freshCredentials('sandbox'),
    production: freshCredentials('production'),
  };
  const statements = await merchantStatements(options, credentials, keys);
  if (options.remote) {
    await executeRemotely(statements);
  } else {
    await prepareLocalDatabase(options.stateDirectory, async () => statements);
  }
  report(options, credentials);
}

async function merchantOptions(): Promise<MerchantOptions> {
  const { values } = parseArgs({
    options: {
      name: { type: 'string' },
      id: { type: 'string', default: randomUUID() },
      methods: { type: 'string', default: 'all' },
      'webhook-url-sandbox': { type: 'string' },
      'webhook-url-production': { type: 'string' },
      ...BRANDING_OPTIONS,
      remote: { type: 'boolean', default: false },
      'persist-to': { type: 'string', default: DEFAULT_STATE_DIRECTORY },
    },
  });
  if (values.name === undefined || values.name.trim() === '') {
    throw new Error('--name is required: what customers read on the page');
  }
  if (!/^[A-Za-z0-9-]{1,64}$/.test(values.id)) {
    throw new Error('--id takes 1 to 64 letters, digits and hyphens');
  }
  return {
    merchantId: values.id,
    name: values.name.trim(),
    methods: methodList(values.methods),
    webhookUrls: {
      sandbox: webhookUrl(values['webhook-url-sandbox']),
      production: webhookUrl(values['webhook-url-production']),
    },
    branding: await brandingChanges(values),
    remote: values.remote,
    stateDirectory: resolve(values['persist-to']),
  };
}

function methodList(text: string): readonly Method[] {
  const names = text === 'all' ? METHODS : text.split(',').map((name) => name.trim());
  return names.map((name) => {
    const method = METHODS.find((candidate) => candidate === name);
    if (method === undefined) {
      throw new Error(`--methods takes "all" or a list of ${METHODS.join(', ')}`);
    }
    return method;
  });
}

/** Only its form is checked here; whether it may be called is decided at every try. */
function webhookUrl(text: string | undefined): string | null {
  if (text === undefined) {
    return null;
  }
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error('a webhook URL starts with https:// or http://');
  }
  return text;
}

async function dataEncryptionKeys(remote: boolean): Promise<KeyRing> {
  if (!remote) {
    return keyRing('DATA_ENCRYPTION_KEYS', (await localSecrets()).DATA_ENCRYPTION_KEYS);
  }
  const ring = process.env.DATA_ENCRYPTION_KEYS;
  if (ring === undefined) {
    throw new Error('--remote needs the deployed DATA_ENCRYPTION_KEYS in the environment');
  }
  return keyRing('DATA_ENCRYPTION_KEYS', ring);
}

function freshCredentials(environment: Environment): Credentials {
  return { apiKey: generateApiKey(environment), webhookSecret: generateWebhookSecret() };
}

async function merchantStatements(
  options: MerchantOptions,
  credentials: Readonly<Record<Environment, Credentials>>,
  keys: KeyRing,
): Promise<readonly SqlStatement[]> {
  const createdAtMs = Date.now();
  const methods = METHODS.map((method) => ({
    method,
    enabled: options.methods.includes(method),
    rate: { basisPoints: 0, fixedMinor: 0 },
  }));
  const statements: SqlStatement[] = [
    ...createMerchant({
      id: options.merchantId,
      name: options.name,
      methods: { sandbox: methods, production: methods },
      createdAtMs,
    }),
    ...brandingStatements(options.merchantId, options.branding, createdAtMs),
  ];
  for (const environment of ENVIRONMENTS) {
    const tenant: Tenant = { environment, merchantId: options.merchantId };
    const { apiKey, webhookSecret } = credentials[environment];
    statements.push(
      await issueApiKey(tenant, { apiKey, name: 'First key', createdAtMs }),
      setWebhookUrl(tenant, options.webhookUrls[environment]),
      addWebhookSecret(tenant, {
        id: randomUUID(),
        sealedSecret: await seal(keys, webhookSecret, webhookSecretContext(tenant)),
        createdAtMs,
        expiresAtMs: null,
      }),
    );
  }
  return statements;
}

function report(
  options: MerchantOptions,
  credentials: Readonly<Record<Environment, Credentials>>,
): void {
  console.log(`
Merchant ${options.merchantId} (${options.name}). The keys are shown only now:

  Sandbox API key             ${credentials.sandbox.apiKey}
  Sandbox webhook secret      ${credentials.sandbox.webhookSecret}
  Production API key          ${credentials.production.apiKey}
  Production webhook secret   ${credentials.production.webhookSecret}
`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
