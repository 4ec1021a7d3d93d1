import type { Tenant } from '../../kit/tenant.ts';
import { intentByUniqueId } from '../intent/client.ts';
import { countedRefunds, type Settlement, type UnsettledClaim } from '../register/protocol.ts';

/**
 * Settles a refund's claim by proof: either the payment has the refund, or it rejects every request
 * with this claim from now on. A timeout would prove nothing, because a request may be slow.
 */
export async function settleClaim(
  env: Env,
  tenant: Tenant,
  { refundUniqueId, paymentUniqueId, claimId }: UnsettledClaim,
): Promise<Settlement> {
  const client = await intentByUniqueId(env, tenant, paymentUniqueId);
  const result = await client.execute([
    { type: 'void_refund_claim', refundId: refundUniqueId, registerClaimId: claimId },
  ]);
  // A purged payment keeps only its id and accepts no refund.
  if (result.type === 'not_found' || result.rejection === null) {
    return { type: 'void' };
  }
  return result.rejection === 'refund_exists'
    ? { type: 'reserved', refunds: countedRefunds(result.intent) }
    : { type: 'undecided' };
}
