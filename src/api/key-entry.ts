import type { AuditEntry } from '../audit/log.ts';
import { clientAddress } from '../http/rate-limit.ts';
import type { MerchantCall } from './call.ts';

/** The audit entry of what a program did with an API key. */
export function keyEntry(
  { request, access, nowMs }: MerchantCall,
  act: Pick<AuditEntry, 'action' | 'target' | 'detail'>,
): AuditEntry {
  const { keyDigest: id, keyName: name, merchantId, environment } = access;
  const actor = { kind: 'api_key', id, name, address: clientAddress(request) } as const;
  return { actor, merchantId, environment, atMs: nowMs, ...act };
}
