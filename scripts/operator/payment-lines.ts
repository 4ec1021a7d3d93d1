import type { paymentContent } from '../../back-office/operator/payment-content.ts';
import { facts, money, plain, table, time } from './text.ts';

type Payment = ReturnType<typeof paymentContent>;

/** What waits for a second operator, and what no provider has confirmed. */
function attemptNotes({ attempts }: Payment): readonly string[] {
  return attempts.flatMap(({ reference, status, isProved, proposal }) => {
    if (proposal !== null) {
      const { operator, receipt } = proposal;
      return [
        plain(
          `Attempt ${reference}: ${operator} recorded "paid, ${receipt}"; another must confirm`,
        ),
      ];
    }
    return status === 'succeeded' && !isProved
      ? [`Attempt ${reference}: recorded by hand; the provider has not confirmed it`]
      : [];
  });
}

/** A refund, and under it the decision that waits for a second operator. */
function refundLines({ refunds, currency }: Payment): readonly string[] {
  return refunds.length === 0
    ? []
    : [
        '',
        ...table(
          ['REFUND', 'NUMBER', 'OF ATTEMPT', 'STATUS', 'CUSTOMER GETS', 'PROVIDER', 'REASON'],
          refunds.map((refund) => [
            refund.id,
            refund.reference,
            refund.transactionId ?? '-',
            refund.status,
            money(refund.returnedMinor, currency),
            refund.railReference ?? '-',
            refund.actionReason ?? refund.failureReason ?? '-',
          ]),
          '',
        ),
        ...refunds.flatMap(({ id, proposal, secondOperatorNeeded }) => {
          if (proposal === null || !secondOperatorNeeded) {
            return [];
          }
          const { operator, outcome } = proposal;
          const found =
            outcome.type === 'succeeded' ? `returned, ${outcome.railReference}` : 'not returned';
          return [plain(`Refund ${id}: ${operator} recorded "${found}"; another must confirm`)];
        }),
      ];
}

export function paymentLines(payment: Payment): readonly string[] {
  const { review } = payment;
  const ended = payment.failureReason === null ? '' : ` (${payment.failureReason})`;
  return [
    ...facts([
      ['Payment', `${payment.environment} ${payment.merchantId} ${payment.uniqueId}`],
      ['Merchant', payment.merchantName],
      ['Status', `${payment.status}${ended}${payment.late ? ', late' : ''}`],
      ['Amount', money(payment.amountMinor, payment.currency)],
      ['Created', time(payment.createdAtMs)],
      ['Expires', time(payment.expiresAtMs)],
      ['uuid', payment.uuid],
      ['Object', payment.objectId],
      ['Review', review === null ? '-' : `${review.note} (${review.reviewedBy})`],
    ]),
    '',
    ...table(
      [
        'ATTEMPT',
        'METHOD',
        'STATUS',
        'PROVIDER REFERENCE',
        'PROVIDER CODE',
        'RECEIPT',
        'REASON',
        'STARTED',
      ],
      payment.attempts.map((attempt) => [
        attempt.reference,
        attempt.method,
        attempt.status,
        attempt.railReference ?? '-',
        attempt.providerCode ?? '-',
        attempt.receipt ?? '-',
        attempt.failureReason ?? '-',
        time(attempt.startedAtMs),
      ]),
      'No attempts.',
    ),
    ...attemptNotes(payment),
    ...refundLines(payment),
    ...payment.anomalies.map(({ kind, atMs, other }) =>
      plain(
        `Anomaly: ${kind}, ${time(atMs)}${other === undefined ? '' : `, with ${other.merchantId} ${other.uniqueId}`}`,
      ),
    ),
    '',
    ...payment.history.map(({ atMs, command, fromStatus, toStatus, detail }) =>
      plain(
        `${time(atMs)}  ${command}  ${fromStatus ?? '-'} -> ${toStatus}  ${detail === null ? '' : JSON.stringify(detail)}`,
      ).trimEnd(),
    ),
    '',
    ...table(
      ['EVENT', 'TO', 'DELIVERY', 'TRIES', 'CREATED'],
      payment.events.map(({ type, origin, deliveryStatus, tries, createdAtMs }) => [
        type,
        origin ?? '-',
        deliveryStatus,
        tries.length,
        time(createdAtMs),
      ]),
      'No events.',
    ),
  ];
}
