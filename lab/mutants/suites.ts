import type { Mutant } from './planted.ts';

/** The unit tests of everything that mutants change. */
export const UNIT_TESTS = [
  'deliver',
  'held-expiry',
  'held',
  'manual',
  'outcomes',
  'paid-by-hand',
  'projection',
  'refund',
  'restored',
  'retention',
  'schedule',
  'transition',
  'webhook',
].map((name) => `test/unit/${name}`);

/** What only other tests notice, by file or folder. They run last because each takes many seconds. */
const OTHER_TESTS: Readonly<Record<string, readonly string[]>> = {
  'src/engine/register/open-register.ts': ['workers/payment/register'],
  'src/engine/register/refund-claims.ts': [
    'workers/payment/register',
    'workers/refunds/refund-requests',
  ],
  'src/engine/api/call.ts': ['workers/api/address-limits'],
  'src/engine/callbacks/attempt.ts': ['workers/rails/callbacks', 'workers/rails/out-of-reach'],
  'src/engine/attempts/start.ts': ['workers/rails/start'],
  'src/engine/attempts/slow-start.ts': [
    'workers/rails/start',
    'workers/rails/out-of-reach',
    'workers/rails/prompt-queries.long',
  ],
  'src/engine/attempts/provider-reports.ts': ['workers/rails/out-of-reach'],
  'src/engine/callbacks/router.ts': ['workers/api/address-limits'],
  'src/engine/checkout/open-link.ts': ['workers/api/address-limits'],
  'src/engine/checkout/choice.ts': ['workers/api/address-limits'],
  'src/engine/intent/alarm.ts': ['workers/payment/alarm'],
  'src/engine/intent/ask-rails.ts': [
    'workers/rails/start',
    'workers/rails/not-configured',
    'workers/rails/queries',
    'workers/operator/refund-repeat',
  ],
  'src/engine/intent/delivery.ts': ['workers/webhooks/delivery'],
  'src/engine/intent/payment-intent.ts': [
    'workers/payment/alarm',
    'workers/payment/create',
    'workers/webhooks/endpoints',
    'workers/book/confirmation',
  ],
  'src/engine/intent/projection-schedule.ts': ['workers/book/confirmation'],
  'src/engine/intent/receipt-conflicts.ts': ['workers/operator/paid-by-hand'],
  'src/engine/intent/record.ts': ['workers/payment/commit', 'workers/book/confirmation'],
  'src/engine/intent/store.ts': ['workers/payment/alarm'],
  'src/engine/intent/taken.ts': ['workers/payment/idempotency'],
  'src/engine/rails/ebirr/answer.ts': ['rails/ebirr-answers'],
  'src/engine/rails/ethswitch/cards-status.ts': ['rails/ethswitch-cards-status'],
  'src/engine/rails/ethswitch/nbg-callback.ts': ['rails/ethswitch-nbg-callbacks'],
  'src/engine/rails/mpesa/reversal.ts': ['rails/mpesa-refund'],
  'src/engine/rails/telebirr-h5/signature.ts': ['rails/telebirr-h5-wire'],
  'src/lists/book/apply.ts': ['workers/book/apply', 'workers/book/property.long'],
  'src/lists/book/attention-items.ts': ['workers/book/reports.long'],
  'src/lists/book/day-totals.ts': ['workers/book/property.long'],
  'src/lists/book/digest.ts': ['workers/book/reports.long'],
  'src/lists/book/purge.ts': ['workers/book/purge'],
  'src/lists/book/queries/ended-payments.ts': ['workers/book/ended.long'],
  'src/lists/book/queries/search.ts': ['workers/book/search.long'],
  'src/lists/book/queries/statement.ts': ['workers/dashboard/overview'],
  'src/control/rpc/events.ts': ['workers/dashboard/webhook-events.long'],
  'src/control/rpc/payments.ts': ['workers/dashboard/refunds', 'workers/dashboard/payment'],
  'src/engine/refunds/ask-rail.ts': [
    'workers/refunds/refund-requests',
    'workers/operator/refund-repeat',
    'workers/api/refunds',
  ],
  'src/engine/callbacks/refund.ts': ['workers/rails/refund-callbacks'],
  'src/engine/refunds/refusal.ts': ['workers/api/refunds'],
  'src/engine/refunds/request.ts': [
    'workers/refunds/refund-requests',
    'workers/api/refunds',
    'workers/operator/modes',
  ],
  'src/engine/webhooks/secret-store.ts': ['workers/api/webhook-endpoints'],
  'src/engine/webhooks/settings.ts': [
    'workers/api/webhook-endpoints',
    'workers/webhooks/endpoints',
  ],
  'src/engine/api/express-answer.ts': ['workers/payment/idempotency'],
  'src/engine/api/routes/create-payment.ts': [
    'workers/operator/modes',
    'workers/rails/start',
    'workers/payment/idempotency',
  ],
  'src/recovery/backup/': ['workers/recovery/backup-run.long'],
  'src/recovery/payments/book-backup': ['workers/recovery/backup-payments.long'],
  'src/recovery/payments/erase.ts': [
    'workers/recovery/backup-payments.long',
    'workers/customers/customer-erasure.long',
  ],
  'src/recovery/payments/records.ts': ['workers/recovery/restore.long'],
  'src/engine/intent/keeping.ts': ['workers/customers/customer-erasure.long'],
  'src/recovery/point-in-time/restore-point.ts': ['workers/recovery/restore-payment'],
  'src/control/customers/': ['workers/customers/customer-erasure.long'],
  'src/control/modes/modes.ts': ['workers/operator/modes', 'workers/recovery/restore.long'],
  'src/control/payments/receipts.ts': ['workers/operator/paid-by-hand'],
  'src/recovery/restore/gateway.ts': ['workers/recovery/restore.long', 'workers/operator/errors'],
  'src/recovery/restore/': ['workers/recovery/restore.long'],
  'back-office/dashboard/overview/statement.ts': ['workers/dashboard/overview'],
  'back-office/dashboard/payments/csv.ts': ['unit/dashboard-payments-csv'],
  'scripts/deploy/': ['unit/deploy.long'],
  'scripts/deployment/': ['unit/deployment', 'unit/recovery-key', 'unit/rotate-keys.long'],
};

export function otherTests({ file }: Mutant): readonly string[] {
  const entries = Object.entries(OTHER_TESTS).filter(([path]) => file.startsWith(path));
  return entries.flatMap(([, names]) => names.map((name) => `test/${name}.test.ts`));
}
