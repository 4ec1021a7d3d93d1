import { safeParse } from 'valibot';
import { callbackUrlField } from '../../http/url-fields.ts';
import { judgeDestination } from '../../webhooks/send.ts';
import type { GuardReason } from '../../webhooks/url-guard.ts';
import type { DashboardCall } from '../call.ts';

/** Why an address is not taken; the words say it to people. */
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
