import type { Intent, Tenant } from '../domain/intent.ts';
import { callObject, type ObjectRpc } from '../platform/object-call.ts';
import type { OpenAccount } from './open-account.ts';
import { type ClaimResult, countedRefunds, type RefundClaim } from './protocol.ts';
import type { BookVolume } from './volumes.ts';

export function accountOf(env: Env, tenant: Tenant): AccountClient {
  return new AccountClient(env, tenant);
}

/** Calls a merchant's account. Throws ObjectUnavailable. */
export class AccountClient {
  readonly #env: Env;
  /**
   * Environments contain no slash, so two tenants never share a name. Merchant ids contain none
   * either.
   */
  readonly #name: string;

  constructor(env: Env, { environment, merchantId }: Tenant) {
    this.#env = env;
    this.#name = `${environment}/${merchantId}`;
  }

  claimRefund(claim: RefundClaim): Promise<ClaimResult> {
    return this.#call((stub) => stub.claimRefund(claim));
  }

  releaseRefund(refundUniqueId: string, claimId: string, isVoid: boolean): Promise<void> {
    return this.#call((stub) => stub.releaseRefund(refundUniqueId, claimId, isVoid));
  }

  paymentOfRefund(refundUniqueId: string): Promise<string | null> {
    return this.#call((stub) => stub.paymentOfRefund(refundUniqueId));
  }

  volumes(): Promise<readonly BookVolume[]> {
    return this.#call((stub) => stub.volumes());
  }

  openVolume(volume: number): Promise<void> {
    return this.#call((stub) => stub.openVolume(volume));
  }

  holdReference(reference: string, paymentUniqueId: string): Promise<boolean> {
    return this.#call((stub) => stub.holdReference(reference, paymentUniqueId));
  }

  paymentOfReference(reference: string): Promise<string | null> {
    return this.#call((stub) => stub.paymentOfReference(reference));
  }

  recordRefunds(intent: Intent): Promise<void> {
    const { uniqueId } = intent.terms;
    return this.#call((stub) => stub.recordRefunds(uniqueId, countedRefunds(intent)));
  }

  #call<T>(method: (stub: ObjectRpc<OpenAccount>) => Promise<T>): Promise<T> {
    const namespace = this.#env.MERCHANT_ACCOUNT;
    return callObject(() => namespace.get(namespace.idFromName(this.#name)), method);
  }
}
