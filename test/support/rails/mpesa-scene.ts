import { type MpesaStandIn, startMpesaStandIn } from '../../../scripts/stand-ins/mpesa.ts';
import { jsonReply, type Plan, StandInServer } from '../../../scripts/stand-ins/stand-in.ts';
import type { Attempt, IntentTerms } from '../../../src/domain/intent.ts';
import { mpesaRail } from '../../../src/rails/mpesa/rail.ts';
import type { RailOrder } from '../../../src/rails/rail-order.ts';
import { PHONE, settingsOf } from './mpesa-fixtures.ts';
import { freshReference, orderFor } from './order.ts';

/** M-PESA's stand-in, its configured adapter, and a receiver of callbacks. */
export interface MpesaScene {
  readonly standIn: MpesaStandIn;
  /** The gateway's callback address: stores what the provider posts. */
  readonly gateway: StandInServer;
  railWith(changed?: Readonly<Record<string, unknown>>): ReturnType<typeof mpesaRail>;
  /** An order that reports to `gateway`. */
  order(amountMinor?: number, attempt?: Partial<Attempt>, terms?: Partial<IntentTerms>): RailOrder;
  /** An order with its own amount, which the stand-in treats by `plan`. */
  plannedOrder(plan: Plan): RailOrder;
  stop(): Promise<void>;
}

export async function startMpesaScene(): Promise<MpesaScene> {
  const standIn = await startMpesaStandIn();
  const gateway = await StandInServer.start(async () => jsonReply(200, { ResultCode: 0 }));
  const railWith: MpesaScene['railWith'] = (changed = {}) =>
    // The amounts tell the orders apart, down to the cents.
    mpesaRail(settingsOf({ ...standIn.settings, wholeAmountsOnly: false, ...changed }));
  const order: MpesaScene['order'] = (amountMinor = 150_000, attempt = {}, terms = {}) =>
    orderFor(railWith(), 'M_PESA', {
      attempt: { reference: freshReference(), phone: PHONE, ...attempt },
      terms: { amountMinor, ...terms },
      order: { callbackUrl: `${gateway.baseUrl}/rails/stk-push/test1.attempt-token` },
    });
  let lastPlannedMinor = 700_000;
  return {
    standIn,
    gateway,
    railWith,
    order,
    plannedOrder(plan) {
      lastPlannedMinor += 101;
      standIn.plan(String(lastPlannedMinor / 100), plan);
      return order(lastPlannedMinor);
    },
    async stop() {
      await Promise.all([standIn.stop(), gateway.stop()]);
    },
  };
}
