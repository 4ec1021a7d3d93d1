import { flag, origin, retentionMs, strongKeyRing } from '../src/engine/config.ts';
import type { KeyRing } from '../src/kit/crypto/key-ring.ts';
import type { BackOfficeEnv } from './env.ts';

/** The variables and secrets of the back office, parsed once per isolate. */
export interface BackOfficeConfig {
  /** Origin of the back office's pages, or null for the origin of each request. */
  readonly publicBaseUrl: string | null;
  readonly rateLimits: boolean;
  readonly retention: ReturnType<typeof memberRetentionOf>;
  /** Sign sessions and the challenges of passkeys. They open nothing of the payments plane. */
  readonly backOfficeKeys: KeyRing;
}

const parsed = new WeakMap<BackOfficeEnv, BackOfficeConfig>();

/** The typed configuration of `env`. Throws ConfigError naming the first bad variable. */
export function backOfficeConfigOf(env: BackOfficeEnv): BackOfficeConfig {
  const known = parsed.get(env);
  if (known !== undefined) {
    return known;
  }
  const config: BackOfficeConfig = {
    publicBaseUrl: origin('PUBLIC_BASE_URL', env.PUBLIC_BASE_URL),
    rateLimits: flag('RATE_LIMITS', env.RATE_LIMITS, 'on', 'off'),
    retention: memberRetentionOf(env),
    backOfficeKeys: strongKeyRing('BACK_OFFICE_KEYS', env.BACK_OFFICE_KEYS),
  };
  parsed.set(env, config);
  return config;
}

/** How long members' personal data is kept (docs/retention.md). Throws ConfigError. Needs no secret. */
export function memberRetentionOf(
  env: Pick<BackOfficeEnv, 'RETENTION_SESSION_DAYS' | 'RETENTION_AUDIT_ADDRESS_DAYS'>,
) {
  return {
    /** After the session ended. */
    sessionMs: retentionMs('RETENTION_SESSION_DAYS', env.RETENTION_SESSION_DAYS),
    auditAddressMs: retentionMs('RETENTION_AUDIT_ADDRESS_DAYS', env.RETENTION_AUDIT_ADDRESS_DAYS),
  };
}
