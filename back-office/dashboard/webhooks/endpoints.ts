import { safeParse } from 'valibot';
import { runBatch, type SqlStatement } from '../../../src/database.ts';
import { callbackUrlField } from '../../../src/http/url-fields.ts';
import { endpointOrigin } from '../../../src/webhooks/endpoints.ts';
import { resumeEndpoint } from '../../../src/webhooks/failing-endpoints.ts';
import { judgeDestination } from '../../../src/webhooks/send.ts';
import { forgetSettingsOf } from '../../../src/webhooks/settings.ts';
import type { GuardReason } from '../../../src/webhooks/url-guard.ts';
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

/**
 * Resumes a paused endpoint, by its id or origin, with its audit entry. Does nothing to one that is
 * not paused.
 */
export async function resumePausedEndpoint(call: DashboardCall, endpoint: string): Promise<void> {
  await runBatch(call.env.DB, resumeStatements(call, endpoint));
  forgetSettingsOf(tenantOf(call));
}

/** The first changes a row if the endpoint was paused; the second records that. */
export function resumeStatements(call: DashboardCall, endpoint: string): readonly SqlStatement[] {
  return [
    resumeEndpoint(tenantOf(call), endpoint),
    auditedIfChanged(call, { action: 'webhook.endpoint_resumed', target: endpoint }),
  ];
}
