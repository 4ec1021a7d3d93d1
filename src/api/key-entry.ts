import type { Changing } from '../audit/log.ts';
import { clientAddress } from '../http/rate-limit.ts';
import type { MerchantCall } from './call.ts';

/** A program that changes something with an API key. */
export function changing({ request, env, access, nowMs }: MerchantCall): Changing {
  const { keyDigest: id, keyName: name } = access;
  const actor = { kind: 'api_key', id, name, address: clientAddress(request) } as const;
  return { env, tenant: access, actor, nowMs };
}
