import type { Deployment } from '../deployment/deployment-file.ts';
import { SetupProblem } from '../deployment/explain.ts';
import {
  type DerivedRing,
  idOf,
  newestKeyOf,
  type SealedRing,
  secretVersion,
} from '../deployment/keys.ts';
import { longestExpiry } from '../deployment/render.ts';
import type { Setup } from './context.ts';
import { databaseOf } from './resources.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const SECOND_MS = 1000;
/** Running Workers take a new secret within seconds; the rest is reserve. */
const SPREAD_MS = 10 * 60 * SECOND_MS;
/** Providers may report this long after a payment's expiry. */
const REPORT_DAYS = 30;
/** The longest session of a member. */
const SESSION_DAYS = 7;
/** The backup keeps a payment's data for 35 days after the payment has lost it; the rest is reserve. */
const BACKUP_DAYS = 40;

/** Refuses while something depends on the ring's older keys (docs/operations.md#rotate-keys). */
export async function checkOldKeyUnused(
  setup: Setup,
  ring: DerivedRing | SealedRing,
  now: Date,
): Promise<void> {
  if (ring === 'DATA_ENCRYPTION_KEYS') {
    await checkDataKey(setup);
    return;
  }
  const waitMs = await waitOf(setup, ring);
  const endMs = uploadedAtMs(setup.deployment, ring) + waitMs;
  if (waitMs > 0 && now.getTime() < endMs) {
    const end = new Date(endMs).toISOString().slice(0, 10);
    throw new SetupProblem(
      `what the old key of ${ring} made is in use until ${end}`,
      `Run this again after that day. After a leak, add --leaked: docs/operations.md#rotate-keys says what breaks.`,
    );
  }
}

/**
 * When every running Worker had the newest key. Throws for a key that has not reached Cloudflare: the
 * older one is still in use.
 */
export function uploadedAtMs(deployment: Deployment, ring: DerivedRing | SealedRing): number {
  const newest = newestKeyOf(secretVersion(deployment, ring));
  const timeMs = Date.parse(deployment.uploadedAt[ring] ?? '');
  if (newest !== newestKeyOf(deployment.uploaded[ring]) || Number.isNaN(timeMs)) {
    throw new SetupProblem(
      `the new key of ${ring} has not been uploaded, so the old one is still in use`,
      'Run the same command without --finish first.',
    );
  }
  return timeMs + SPREAD_MS;
}

/** How long after the rotation the older keys are needed. */
async function waitOf(setup: Setup, ring: DerivedRing | SealedRing): Promise<number> {
  const workers = await setup.workers();
  const { vars = {} } = workers.payments.config;
  const days = (name: string) => Number(vars[name]) * DAY_MS;
  switch (ring) {
    case 'LINK_SIGNING_KEYS':
      return longestExpiry(setup.deployment, workers) * SECOND_MS + REPORT_DAYS * DAY_MS;
    case 'BACK_OFFICE_KEYS':
      return SESSION_DAYS * DAY_MS;
    case 'BACKUP_KEYS':
      return (
        Math.max(days('RETENTION_PAYMENT_DAYS'), days('RETENTION_AUDIT_ADDRESS_DAYS')) +
        BACKUP_DAYS * DAY_MS
      );
    default:
      // Its public half stays published, and nothing needs the private one.
      return 0;
  }
}

interface Use {
  readonly kind: string;
  readonly count: number;
}

/** API keys and stored secrets stay under the data key that was first when they were made. */
async function checkDataKey(setup: Setup): Promise<void> {
  const [newest] = setup.deployment.keys.DATA_ENCRYPTION_KEYS;
  const sinceMs = uploadedAtMs(setup.deployment, 'DATA_ENCRYPTION_KEYS');
  const rows = await query<Use>(setup, usesSql(newest === undefined ? '' : idOf(newest), sinceMs));
  const uses = rows.filter(({ count }) => count > 0);
  if (uses.length > 0) {
    throw new SetupProblem(
      `older data keys are in use: ${uses.map(({ kind, count }) => `${count} ${kind}`).join(', ')}`,
      'Merchants replace their API keys and webhook secrets in the dashboard; resolve the dead letters. docs/operations.md#which-keys-are-in-use lists them.',
    );
  }
}

/** `keyId` has letters and digits only. */
function usesSql(keyId: string, sinceMs: number): string {
  return `SELECT 'API keys' AS kind, count(*) AS count FROM api_keys
      WHERE revoked_at_ms IS NULL AND created_at_ms < ${sinceMs}
        AND (expires_at_ms IS NULL OR expires_at_ms > unixepoch() * 1000)
    UNION ALL SELECT 'webhook secrets', count(*) FROM webhook_secrets
      WHERE substr(sealed_secret, 1, instr(sealed_secret, '.') - 1) <> '${keyId}'
        AND (expires_at_ms IS NULL OR expires_at_ms > unixepoch() * 1000)
    UNION ALL SELECT 'dead letters', count(*) FROM dead_letters
      WHERE status = 'waiting' AND substr(sealed_body, 1, instr(sealed_body, '.') - 1) <> '${keyId}'`;
}

/** More commands would hide what else is on the screen. */
const REBUILDS_SHOWN = 20;

/** Search and exports read what books have sealed or digested under the data keys. */
export async function sayRebuilds(setup: Setup): Promise<void> {
  const { terminal, options } = setup;
  const merchants = await query<{ readonly id: string }>(
    setup,
    `SELECT id FROM merchants ORDER BY id LIMIT ${REBUILDS_SHOWN + 1}`,
  );
  const shown = merchants.slice(0, REBUILDS_SHOWN).map(({ id }) => id);
  const commands = (shown.length > 0 ? shown : ['MERCHANT']).flatMap((id) =>
    ['production', 'sandbox'].map(
      (environment) =>
        `    npm run operator -- rebuild book ${environment} ${id} --all --env ${options.name}`,
    ),
  );
  terminal.say(
    [
      '  Before the old key goes, rebuild each book under the new one. Otherwise search, CSV files,',
      "  exports and erasures of customers' data miss payments from before the rotation:",
      ...commands,
      ...(merchants.length > REBUILDS_SHOWN ? ['    … and so for each other merchant.'] : []),
    ].join('\n'),
  );
}

async function query<Row>(setup: Setup, sql: string): Promise<readonly Row[]> {
  const name = (await setup.workers()).payments.config.d1_databases?.[0]?.database_name ?? '';
  const database = await databaseOf(setup, name);
  const [answer] = await setup.cloudflare.call<readonly { readonly results: readonly Row[] }[]>({
    method: 'POST',
    path: setup.path(`d1/database/${database?.uuid}/query`),
    body: { sql },
  });
  return answer?.results ?? [];
}
