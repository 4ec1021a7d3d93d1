import { createHash } from 'node:crypto';
import { insertMember } from '../../back-office/members/members.ts';
import { insertSession, newSessionToken } from '../../back-office/members/sessions.ts';
import { prepareLocalDatabase } from '../../scripts/dev/d1.ts';
import { demoMerchant, seedDemoMerchant } from '../../scripts/dev/demo-merchant.ts';
import { localSecrets } from '../../scripts/dev/local-secrets.ts';
import { type Gateway, NO_RATE_LIMITS } from '../../scripts/gateway/gateway.ts';
import { freePort, startGateway } from '../../scripts/gateway/own-gateway.ts';
import { type StandIns, startStandIns } from '../../scripts/stand-ins/start-all.ts';
import { keyRing } from '../../src/engine/config.ts';
import { apiKeyDigest, apiKeyHint, generateApiKey } from '../../src/engine/merchants/api-key.ts';
import type { SqlStatement } from '../../src/kit/platform/database.ts';
import { Recorder } from './recorder.ts';
import { COOKIE, type Credentials, CSRF, PRODUCTION_KEY, SANDBOX_KEY } from './template.ts';

/** More than a run uses up by signing out, removing members and revoking keys. */
const SPARE_CREDENTIALS = 100;

const KEYS = [
  [SANDBOX_KEY, 'sandbox'],
  [PRODUCTION_KEY, 'production'],
] as const;

/** A gateway to fuzz, with a recorder before it and every production rail behind it. */
export interface Stage {
  readonly gatewayPort: number;
  readonly recorder: Recorder;
  readonly standIns: StandIns;
  readonly merchantId: string;
  /** Those in use: of one member, with keys of their merchant. */
  readonly credentials: Credentials;
  /** From now on another member acts, with other keys. */
  renewCredentials(): void;
  /** The output of the gateway so far. */
  logs(): Promise<string>;
  stop(): Promise<void>;
}

/** `builtDirectory`: of Workers that are built already. */
export async function startStage(name: string, builtDirectory?: string): Promise<Stage> {
  const [port, gatewayPort] = [await freePort(), await freePort()];
  const recorder = await Recorder.start(port, gatewayPort);
  const secrets = await localSecrets();
  const merchant = await demoMerchant(recorder.origin, secrets);
  const spare: Credentials[] = [];
  let used = 0;
  const standIns = await startStandIns(recorder.origin, {
    ethswitch: 'cards',
    hasStatusQueries: true,
    hasRefunds: true,
  });
  let gateway: Gateway;
  try {
    gateway = await startGateway({
      name,
      builtDirectory,
      port: gatewayPort,
      args: NO_RATE_LIMITS,
      variables: standIns.variables,
      prepare: async (stateDirectory) => {
        await seedDemoMerchant(stateDirectory, merchant, secrets);
        spare.push(...(await seedCredentials(stateDirectory, merchant.merchantId)));
      },
    });
  } catch (error) {
    recorder.stop();
    await standIns.stop();
    throw error;
  }
  return {
    gatewayPort,
    recorder,
    standIns,
    merchantId: merchant.merchantId,
    get credentials() {
      return spare[used % spare.length] as Credentials;
    },
    renewCredentials: () => {
      used += 1;
    },
    logs: () => gateway.logs(),
    stop: async () => {
      recorder.stop();
      await gateway.stop();
      await standIns.stop();
    },
  };
}

async function seedCredentials(
  stateDirectory: string,
  merchantId: string,
): Promise<readonly Credentials[]> {
  const credentials: Credentials[] = [];
  const secrets = await localSecrets();
  const sessionKeys = keyRing('BACK_OFFICE_KEYS', secrets.BACK_OFFICE_KEYS);
  const dataKeys = keyRing('DATA_ENCRYPTION_KEYS', secrets.DATA_ENCRYPTION_KEYS);
  const createdAtMs = Date.now();
  const statements: SqlStatement[] = [];
  const people: SqlStatement[] = [];
  for (let number = 1; number <= SPARE_CREDENTIALS; number += 1) {
    const memberId = `mem_fuzz${number}`;
    const token = await newSessionToken(sessionKeys);
    const csrf = createHash('sha256').update(`kefel/csrf/${token}`).digest('base64url');
    const keys = { [SANDBOX_KEY]: '', [PRODUCTION_KEY]: '' };
    for (const [placeholder, environment] of KEYS) {
      const apiKey = await generateApiKey(dataKeys, environment);
      keys[placeholder] = apiKey;
      // Not `createApiKey`: these are more keys than a merchant can have.
      statements.push({
        sql: `INSERT INTO api_keys (digest, merchant_id, environment, name, hint, created_at_ms)
          VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
        params: [
          await apiKeyDigest(apiKey),
          merchantId,
          environment,
          `Key ${number}`,
          apiKeyHint(apiKey),
          createdAtMs,
        ],
      });
    }
    credentials.push({ [COOKIE]: token, [CSRF]: csrf, ...keys });
    const name = `Member ${number}`;
    people.push(
      insertMember({ id: memberId, merchantId, name, role: 'owner', createdAtMs }),
      insertSession({
        id: `ses_fuzz${number}`,
        digest: createHash('sha256').update(token).digest('hex'),
        memberId,
        credentialId: 'fuzz',
        createdAtMs,
        address: null,
        userAgent: 'fuzz',
      }),
    );
  }
  await prepareLocalDatabase(stateDirectory, async () => statements, people);
  return credentials;
}
