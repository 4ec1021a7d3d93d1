import { operatorAlerts } from './control/alerts/operator-alerts.ts';
import { providerFiles } from './control/provider-files/provider-files.ts';
import { expressAnswer } from './engine/api/express-answer.ts';
import { receiptPathOf } from './engine/attempts/order.ts';
import { queryRail } from './engine/attempts/query.ts';
import { PaymentIntentObject } from './engine/intent/payment-intent.ts';
import type { Ports } from './engine/intent/ports.ts';
import type { RecoveryPort } from './engine/intent/recovery-port.ts';
import { merchantRegister } from './engine/register/merchant-register.ts';
import { eventBody } from './engine/webhooks/payload.ts';
import { requestBody, signEvent } from './engine/webhooks/sign.ts';
import { merchantBook } from './lists/book/merchant-book.ts';

const PORTS: Ports = {
  events: { body: eventBody, receiptPath: receiptPathOf, sign: signEvent, requestBody },
  expressAnswer,
  attempts: {
    // Loaded with the first start that waits for a customer.
    start: async (...about) =>
      (await import('./engine/attempts/slow-start.ts')).startSlowly(...about),
    query: queryRail,
  },
  // Loaded with the first refund: few payments have one.
  refunds: {
    start: async (...about) => (await import('./engine/refunds/ask-rail.ts')).startRefund(...about),
    repeat: async (...about) =>
      (await import('./engine/refunds/ask-rail.ts')).repeatRefund(...about),
    query: async (...about) => (await import('./engine/refunds/ask-rail.ts')).queryRefund(...about),
  },
  // Loaded with the first fault.
  alerts: {
    queueFails: async (env, queue) => {
      const { tellHappened } = await import('./engine/alerts/happenings.ts');
      await tellHappened(env, 'messages_waiting', queue, Date.now());
    },
    startWaits: async (env, method) => {
      const { tellHappened } = await import('./engine/alerts/happenings.ts');
      await tellHappened(env, 'starts_waiting', method, Date.now());
    },
  },
  // Loaded after the first commit: no request waits for it.
  book: {
    apply: async (...about) => (await import('./lists/book/feed.ts')).feedBook(...about),
  },
};

const records = () => import('./recovery/payments/records.ts');

/** Loaded with the first copy or restore: no request of a merchant waits for it. */
const RECOVERY: RecoveryPort = {
  copy: async (...about) => (await records()).storedRecords(...about),
  restore: async (...about) => (await records()).restoreRecords(...about),
  restoreTo: async (...about) =>
    (await import('./recovery/point-in-time/restore-point.ts')).restoreTo(...about),
};

/** The payment's Durable Object, connected to the rails and to the wire form of webhooks. */
export class PaymentIntent extends PaymentIntentObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, PORTS, RECOVERY);
  }
}

/** The merchant's book, connected to the backup. */
export class MerchantBook extends merchantBook({
  backup: async (...about) =>
    new (await import('./recovery/payments/book-backup.ts')).BookBackup(...about),
}) {}

/** The merchant's register, connected to the payments. */
export class MerchantRegister extends merchantRegister({
  // Loaded with the first claim that is not settled: few requests die.
  settleClaim: async (...about) =>
    (await import('./engine/refunds/settle-claim.ts')).settleClaim(...about),
}) {}

/** The object of the alerts, connected to what it looks at. */
export class OperatorAlerts extends operatorAlerts(async (...about) =>
  (await import('./control/watch/look-around.ts')).lookAround(...about),
) {}

/** The provider's files of one method in one environment. */
export class ProviderFiles extends providerFiles {}
