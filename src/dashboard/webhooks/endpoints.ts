import { safeParse } from 'valibot';
import { prepare, runBatch, type SqlStatement } from '../../database.ts';
import type { Tenant } from '../../domain/intent.ts';
import { callbackUrlField } from '../../http/url-fields.ts';
import { endpointOrigin, resumeEndpoint } from '../../webhooks/endpoints.ts';
import { judgeDestination } from '../../webhooks/send.ts';
import { forgetSettingsOf } from '../../webhooks/settings.ts';
import type { GuardReason } from '../../webhooks/url-guard.ts';
import { auditedIfChanged } from '../audited.ts';
import { type DashboardCall, may, tenantOf } from '../call.ts';

/** Why an address is rejected; pages have a text for each. */
export type AddressProblem = 'shape' | GuardReason;

/**
 * What is wrong with an address for webhooks, or null. It must be a callbackUrl as the API takes
 * them (docs/decisions.md#12), and one that would be called if it were used now
 * (docs/decisions.md#18).
 */
export function addressProblem(call: DashboardCall, url: string): AddressProblem | null {
  const verdict = judgeDestination(call.env, url, call.url.origin);
  if (!verdict.allowed) {
    return verdict.reason;
  }
  return safeParse(callbackUrlField, url).success ? null : 'shape';
}

/** Whole for developers, else its origin: path and query may hold a secret of the merchant's. */
export function shownAddress(call: DashboardCall, url: string): string {
  return may(call, 'develop') ? url : (endpointOrigin(url) ?? '');
}

/** Where events without a callbackUrl go, as D1 has it now. */
export function defaultUrl(db: D1Database, tenant: Tenant): Promise<string | null> {
  return prepare(db, {
    sql: 'SELECT url FROM webhook_settings WHERE merchant_id = ?1 AND environment = ?2',
    params: [tenant.merchantId, tenant.environment],
  }).first<string>('url');
}

/** Resumes a paused endpoint, with its audit entry. Does nothing to one that is not paused. */
export async function resumePausedEndpoint(call: DashboardCall, origin: string): Promise<void> {
  await runBatch(call.env.DB, resumeStatements(call, origin));
  forgetSettingsOf(tenantOf(call));
}

/** The first changes a row if the endpoint was paused; the second records that. */
export function resumeStatements(call: DashboardCall, origin: string): readonly SqlStatement[] {
  return [
    resumeEndpoint(tenantOf(call), origin),
    auditedIfChanged(call, { action: 'webhook.endpoint_resumed', target: origin }),
  ];
}
