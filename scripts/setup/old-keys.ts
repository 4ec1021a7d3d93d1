import type { DerivedRing, SealedRing } from '../deployment/keys.ts';
import type { Setup } from './context.ts';
import { SetupProblem } from './explain.ts';
import { databaseOf } from './resources.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const SECOND_MS = 1000;
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
  const [newest] = setup.deployment.keys[ring];
  const sinceMs = timeOfKey(typeof newest === 'string' ? newest : (newest?.keyId ?? ''));
  const endMs = sinceMs + waitMs;
  if (now.getTime() < endMs) {
    const end = new Date(endMs).toISOString().slice(0, 10);
    throw new SetupProblem(
      `what the old key of ${ring} made is in use until ${end}`,
      `Run this again after that day. After a leak, add --leaked: docs/operations.md#rotate-keys says what breaks.`,
    );
  }
}

/** How long after the rotation the older keys are needed. */
async function waitOf(setup: Setup, ring: DerivedRing | SealedRing): Promise<number> {
  const { vars = {} } = (await setup.workers()).payments.config;
  const days = (name: string) => Number(vars[name]) * DAY_MS;
  switch (ring) {
    case 'LINK_SIGNING_KEYS':
      return Number(vars.EXPIRE_IN_SECONDS_MAX) * SECOND_MS + REPORT_DAYS * DAY_MS;
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

/** When a key was made: `k20261121120000`. */
function timeOfKey(keyId: string): number {
  const [, date, hour, minute, second] = /^k(\d{8})(\d\d)(\d\d)(\d\d)$/.exec(keyId) ?? [];
  const day = date?.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');
  const timeMs = Date.parse(`${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(timeMs)) {
    throw new SetupProblem(
      `the key ${keyId} does not say when it was made`,
      'Make sure that nothing depends on the older keys, then add --leaked to remove them.',
    );
  }
  return timeMs;
}

interface Use {
  readonly kind: string;
  readonly count: number;
}

/** API keys and stored secrets stay under the data key that was first when they were made. */
async function checkDataKey(setup: Setup): Promise<void> {
  const [newest = ''] = setup.deployment.keys.DATA_ENCRYPTION_KEYS;
  const name = (await setup.workers()).payments.config.d1_databases?.[0]?.database_name ?? '';
  const database = await databaseOf(setup, name);
  const [answer] = await setup.cloudflare.call<readonly { readonly results: readonly Use[] }[]>({
    method: 'POST',
    path: setup.path(`d1/database/${database?.uuid}/query`),
    body: { sql: usesSql(newest, timeOfKey(newest)) },
  });
  const uses = (answer?.results ?? []).filter(({ count }) => count > 0);
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
