import { decide, openIntent } from '../../src/domain/decide.ts';
import type { Attempt, Command, Intent, IntentTerms } from '../../src/domain/intent.ts';

/** Terms of an ordinary hosted sandbox payment of 100.00 ETB, created at 0, expiring at 60 s. */
export function someTerms(changes: Partial<IntentTerms> = {}): IntentTerms {
  return {
    environment: 'sandbox',
    merchantId: 'mer_1',
    merchantName: 'Addis Books',
    branding: null,
    uniqueId: 'order-1',
    uuid: '0b8f3c1e-7c55-4d5e-9a55-2f1f6f0a0001',
    number: 4_242,
    kind: 'hosted',
    paymentLinkUniqueId: null,
    amountMinor: 10_000,
    currency: 'ETB',
    methods: [
      { method: 'TELE_BIRR', commissionMinor: 250 },
      { method: 'CBE', commissionMinor: 0 },
    ],
    items: [],
    itemPriceBasis: 'unit',
    splits: [],
    commissionPaidByCustomer: false,
    customer: null,
    description: null,
    debitAccount: null,
    returnUrl: 'https://shop.example.com/done',
    callbackUrl: 'https://shop.example.com/hook',
    refundEvents: false,
    simulation: 'interactive',
    metadata: {},
    baseUrl: 'https://pay.example.com',
    createdAtMs: 0,
    expiresAtMs: 60_000,
    ...changes,
  };
}

type Start = Extract<Command, { type: 'start_attempt' }>;

/** A `start_attempt` by redirect whose window closes at 30 s without finality. */
export function startAttempt(id: string, changes: Partial<Start['attempt']> = {}): Start {
  return {
    type: 'start_attempt',
    attempt: {
      id,
      reference: `REF${id.toUpperCase()}`,
      method: 'TELE_BIRR',
      phone: null,
      railId: 'simulator',
      startClaim: 'not_needed',
      flow: 'redirect',
      deadlineAtMs: 30_000,
      windowIsFinal: false,
      checkAtMs: null,
      ...changes,
    },
  };
}

export function succeed(attemptId: Attempt['id']): Command {
  return {
    type: 'resolve_attempt',
    attemptId,
    outcome: { type: 'succeeded', receipt: `RAIL-${attemptId}` },
  };
}

export function fail(attemptId: Attempt['id']): Command {
  return { type: 'resolve_attempt', attemptId, outcome: { type: 'failed', reason: 'declined' } };
}

export function unknown(attemptId: Attempt['id'], checkAtMs: number | null = null): Command {
  return { type: 'resolve_attempt', attemptId, outcome: { type: 'unknown', checkAtMs } };
}

type ManualResolution = Extract<Command, { type: 'resolve_manually' }>;

/** An operator found the payment at the provider. */
export function succeedManually(
  attemptId: Attempt['id'],
  changes: Partial<ManualResolution> = {},
): ManualResolution {
  return {
    type: 'resolve_manually',
    attemptId,
    resolutionId: `paid-${attemptId}`,
    outcome: { type: 'succeeded', receipt: 'HAND-1' },
    operator: 'Hana',
    isVerified: true,
    secondOperatorAboveMinor: null,
    checkAtMs: null,
    note: 'Found in the statement of the day.',
    ...changes,
  };
}

/** An operator learned from the provider that nothing was paid. */
export function failManually(
  attemptId: Attempt['id'],
  changes: Partial<ManualResolution> = {},
): ManualResolution {
  return {
    ...succeedManually(attemptId),
    resolutionId: `unpaid-${attemptId}`,
    outcome: { type: 'failed', reason: 'declined' },
    note: 'The rail knows of no payment.',
    ...changes,
  };
}

/** A payment whose customer paid twice, by attempts `first` and `second`, after a `declined` one. */
export function paidTwice(
  changes: Partial<Pick<IntentTerms, 'amountMinor' | 'commissionPaidByCustomer'>> & {
    readonly commissionMinor?: number;
  } = {},
): Intent {
  const { commissionMinor = 0, ...terms } = changes;
  const methods = [{ method: 'TELE_BIRR', commissionMinor }] as const;
  const intent = openIntent(someTerms({ ...terms, methods }));
  const commands = [
    startAttempt('declined'),
    fail('declined'),
    startAttempt('first'),
    { type: 'abandon_attempt', attemptId: 'first' } as const,
    startAttempt('second'),
    succeed('second'),
    succeed('first'),
  ];
  return decide(intent, commands, 0).intent;
}

type RequestRefund = Extract<Command, { type: 'request_refund' }>;

/** A refund by the API of all that is left of attempt `second`. */
export function requestRefund(
  id: string,
  refund: Partial<RequestRefund['refund']> = {},
  changes: Partial<Omit<RequestRefund, 'refund'>> = {},
): RequestRefund {
  return {
    type: 'request_refund',
    refund: {
      id,
      requestId: `request-${id}`,
      idempotencyKeyDigest: null,
      bodyDigest: null,
      reference: id.toUpperCase(),
      attemptId: 'second',
      reason: null,
      requester: { type: 'api', keyId: 'key1' },
      amountMinor: null,
      ...refund,
    },
    keepsCommission: false,
    capability: { takesParts: true, wholeAmountsOnly: false, windowMs: null },
    startsAfterMs: 0,
    ...changes,
  };
}
