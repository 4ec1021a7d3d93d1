import type { Payments } from '../src/control/rpc/entrypoint.ts';

/** The bindings of `back-office/wrangler.toml`. Everything else is asked of the payments plane. */
export interface BackOfficeEnv {
  readonly PAYMENTS: Pick<Payments, 'call'>;
  readonly BACK_OFFICE_DB: D1Database;
  readonly ASSETS: Fetcher;
  readonly VERSION: WorkerVersionMetadata;
  readonly FAILED_KEY_RATE_LIMIT: RateLimit;
  readonly SIGN_IN_RATE_LIMIT: RateLimit;
  readonly PAGE_VIEW_RATE_LIMIT: RateLimit;
  readonly DASHBOARD_RATE_LIMIT: RateLimit;
  readonly PUBLIC_BASE_URL: string;
  readonly PAYMENTS_BASE_URL: string;
  readonly SOURCE_URL: string;
  readonly SUPPORT_CONTACT: string;
  readonly STATUS_URL: string;
  readonly RETENTION_SESSION_DAYS: string;
  readonly RETENTION_AUDIT_ADDRESS_DAYS: string;
  readonly RATE_LIMITS: string;
  readonly ACCESS_TEAM_DOMAIN: string;
  readonly ACCESS_AUDIENCE: string;
  readonly BACK_OFFICE_KEYS: string;
  readonly OPERATOR_SECRETS: string;
}
