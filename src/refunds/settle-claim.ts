import { countedRefunds, type Settlement, type UnsettledClaim } from '../account/protocol.ts';
import type { Tenant } from '../domain/intent.ts';
import { intentByUniqueId } from '../intent/client.ts';

/**
 * Proves what became of a refund's claim: the payment has the refund, or it rejects every request
 * with this claim from now on. A request may be slow, so time alone proves nothing.
 */
export async function settleClaim(
  env: Env,
  tenant: Tenant,
  { refundUniqueId, paymentUniqueId, claimId }: UnsettledClaim,
): Promise<Settlement> {
  const client = intentByUniqueId(env, tenant, paymentUniqueId);
  const result = await client.execute([
    { type: 'void_refund_claim', refundId: refundUniqueId, accountClaimId: claimId },
  ]);
  // Of a purged payment only the id is left: it accepts no refund.
  if (result.type === 'not_found' || result.rejection === null) {
    return { type: 'void' };
  }
  return result.rejection === 'refund_exists'
    ? { type: 'reserved', refunds: countedRefunds(result.intent) }
    : { type: 'undecided' };
}
