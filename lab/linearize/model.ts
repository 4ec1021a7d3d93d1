import type { Attempt } from '../../src/engine/domain/attempt.ts';
import type { Command } from '../../src/engine/domain/command.ts';
import { decide, openIntent } from '../../src/engine/domain/decide.ts';
import { type Intent, reportedAttempt } from '../../src/engine/domain/intent.ts';
import { plainTerms } from '../../src/engine/domain/plain-terms.ts';
import type { Refund } from '../../src/engine/domain/refund.ts';
import { refundableMinor } from '../../src/engine/domain/refund-amounts.ts';
import type { IntentTerms } from '../../src/engine/domain/terms.ts';
import { REFUND_SCENARIOS } from '../../src/engine/rails/simulator/refunds.ts';
import { statusContent } from '../../src/engine/webhooks/payload.ts';
import { WIRE_REFUND_STATUSES } from '../../src/engine/webhooks/refund-payload.ts';
import type { Answer, Call, CreateKind, Operation, PaymentView } from './operations.ts';
import type { Model } from './search.ts';

type Create = Extract<Operation, { type: 'create' }>;

/**
 * One payment as a sequential machine: the domain's own decisions, one operation after the other.
 * Time does not pass in it, so histories must end before anything expires.
 */
export interface PaymentState {
  readonly intent: Intent | null;
  /** The request that created it. */
  readonly create: Create | null;
  /** The answer to it, once a client has seen it. */
  readonly createAnswer: string | null;
  /** What the gateway calls attempts and their references, by our names, once a client has seen it. */
  readonly names: Readonly<Record<string, string>>;
}

type Existing = PaymentState & { readonly intent: Intent; readonly create: Create };

/** What an operation does, and the states that an answer to it leaves possible. */
interface Effect {
  readonly state: PaymentState;
  readonly after: (answer: Answer) => readonly PaymentState[];
}

const NOW_MS = 0;
/** The last moment that a Date can be. */
const NEVER_MS = 8_640_000_000_000_000;
const FAILS_AT_RAIL_MINOR: readonly number[] = [
  REFUND_SCENARIOS.declined.amountMinor,
  REFUND_SCENARIOS.insufficient_funds.amountMinor,
];

export const PAYMENT_MODEL: Model<PaymentState, Call> = {
  initial: { intent: null, create: null, createAnswer: null, names: {} },
  before: (state, call) => withHiddenSteps(state, (refund) => concerns(call, refund)),
  next: (before, { operation, answer }) => {
    const { state, after } = effectOf(before, operation);
    // An operation without an answer may have had its effect.
    return answer === null ? [state] : after(answer);
  },
  keyOf({ intent, create, createAnswer, names }) {
    return JSON.stringify([
      create,
      createAnswer,
      Object.entries(names).sort(),
      intent && [
        intent.version,
        intent.status,
        intent.previousStatus,
        intent.failureReason,
        intent.late,
        intent.paidAttemptId,
        intent.attempts.map(({ status, failureReason }) => [status, failureReason]),
        intent.anomalies.map(({ kind, attemptId }) => [kind, attemptId]),
        intent.refunds.map(({ id, status, amountMinor }) => [id, status, amountMinor]),
      ],
    ]);
  },
};

/**
 * The states that the gateway may have reached by itself meanwhile: the simulator's outcome of a
 * payment without a customer, and calls to the provider for refunds with their outcomes. Only of
 * those that matter now: the others can as well come later, which leaves far fewer orders to try.
 */
function withHiddenSteps(
  state: PaymentState,
  matters: (refund: Refund) => boolean,
): readonly PaymentState[] {
  const reached = [state];
  for (const each of reached) {
    if (isExisting(each)) {
      for (const commands of hiddenCommands(each, matters)) {
        reached.push(decided(each, commands).next);
      }
    }
  }
  return reached;
}

/** Whether the answer may need a refund to be further than it is. */
function concerns({ operation, answer }: Call, { id, status, amountMinor }: Refund): boolean {
  switch (operation.type) {
    case 'read': {
      const refunds = answer?.type === 'payment' ? answer.payment.refunds : [];
      const seen = refunds.find(({ refundUniqueId }) => refundUniqueId === id);
      return seen !== undefined && seen.status !== WIRE_REFUND_STATUSES[status];
    }
    case 'cancel_refund':
    case 'read_refund':
      return operation.refundId === id;
    case 'request_refund':
      // Its failure gives the amount back.
      return answer?.type !== 'problem' && FAILS_AT_RAIL_MINOR.includes(amountMinor);
    default:
      return false;
  }
}

function hiddenCommands(
  { intent, create }: Existing,
  matters: (refund: Refund) => boolean,
): readonly Command[][] {
  const outcome = intent.status === 'processing' ? OUTCOME_OF[create.kind] : null;
  const inFlight = intent.refunds.find(({ status }) => status === 'processing');
  if (inFlight !== undefined) {
    return intent.refunds.some(matters) ? [[refundOutcome(inFlight)]] : [];
  }
  return [
    ...(outcome === null ? [] : [[resolved(0, outcome)]]),
    ...intent.refunds
      .filter((refund) => refund.status === 'pending' && matters(refund))
      .map(({ id }): Command[] => [
        { type: 'claim_refund', refundId: id, claimId: `claim-${id}`, deadlineAtMs: NEVER_MS },
      ]),
  ];
}

function refundOutcome({ id, amountMinor }: Refund): Command {
  return {
    type: 'resolve_refund',
    refundId: id,
    outcome: FAILS_AT_RAIL_MINOR.includes(amountMinor)
      ? { type: 'failed', reason: 'declined' }
      : { type: 'succeeded', railReference: null },
  };
}

const OUTCOME_OF: Readonly<Record<CreateKind, 'succeeded' | 'failed' | null>> = {
  hosted: null,
  express_succeeds: 'succeeded',
  express_fails: 'failed',
};

function effectOf(state: PaymentState, operation: Operation): Effect {
  if (operation.type === 'create') {
    return create(state, operation);
  }
  if (!isExisting(state)) {
    return problem(state, 404);
  }
  switch (operation.type) {
    case 'read':
      return paymentShown(state);
    case 'cancel': {
      const { next, rejection } = decided(state, [{ type: 'cancel' }]);
      const code = rejection === 'attempt_in_flight' ? 'payment_in_progress' : 'payment_ended';
      return rejection === null ? paymentShown(next) : problem(next, 409, code);
    }
    case 'request_refund':
      return requestRefund(state, operation);
    case 'cancel_refund': {
      const { refundId } = operation;
      const { next, rejection } = decided(state, [{ type: 'cancel_refund', refundId }]);
      const isRefused = rejection !== null && hasRefund(next, refundId);
      return isRefused ? problem(next, 409, 'refund_not_cancelable') : refundShown(next, refundId);
    }
    case 'read_refund':
      return refundShown(state, operation.refundId);
  }
}

function create(state: PaymentState, asked: Create): Effect {
  if (!isExisting(state)) {
    const created = { ...state, intent: newIntent(asked), create: asked };
    return {
      state: created,
      after: (answer) =>
        answer.type === 'created' && !answer.isReplay
          ? [{ ...created, createAnswer: answer.body }]
          : [],
    };
  }
  const { create: first, createAnswer } = state;
  if (asked.idempotencyKey === null || asked.idempotencyKey !== first.idempotencyKey) {
    return problem(state, 409, 'duplicate_payment_id');
  }
  if (asked.kind !== first.kind || asked.amountMinor !== first.amountMinor) {
    return problem(state, 422, 'idempotency_key_reused');
  }
  // An express call that has not been answered yet.
  const inUse = problem(state, 409, 'idempotency_key_in_use');
  return {
    state,
    after: (answer) => {
      if (answer.type !== 'created') {
        return first.kind === 'hosted' ? [] : inUse.after(answer);
      }
      const isSame = createAnswer === null || answer.body === createAnswer;
      return answer.isReplay && isSame ? [{ ...state, createAnswer: answer.body }] : [];
    },
  };
}

function requestRefund(
  state: Existing,
  { refundId, amountMinor }: Extract<Operation, { type: 'request_refund' }>,
): Effect {
  const { intent } = state;
  if (hasRefund(state, refundId)) {
    return problem(state, 409, 'duplicate_refund_id');
  }
  const paid = intent.attempts.find(({ id }) => id === intent.paidAttemptId);
  if (paid === undefined) {
    return problem(state, 409, 'payment_not_paid');
  }
  const { next, rejection } = decided(state, [
    {
      type: 'request_refund',
      refund: {
        id: refundId,
        requestId: refundId,
        idempotencyKeyDigest: null,
        bodyDigest: null,
        reference: refundId,
        attemptId: paid.id,
        reason: null,
        requester: { type: 'api', keyId: '' },
        amountMinor: amountMinor ?? refundableMinor(intent, paid),
      },
      keepsCommission: false,
      capability: { takesParts: true, wholeAmountsOnly: false, windowMs: null },
      startsAfterMs: 0,
      registerClaimId: refundId,
    },
  ]);
  return rejection === null ? refundShown(next, refundId) : problem(next, 409, 'refund_too_large');
}

function hasRefund({ intent }: Existing, refundId: string): boolean {
  return intent.refunds.some(({ id }) => id === refundId);
}

/** An answer that shows exactly the refund, or that there is none. */
function refundShown(state: Existing, refundId: string): Effect {
  const refund = state.intent.refunds.find(({ id }) => id === refundId);
  return refund === undefined
    ? problem(state, 404)
    : expecting(
        state,
        (answer) =>
          answer.type === 'refund' &&
          answer.refund.refundUniqueId === refundId &&
          answer.refund.status === WIRE_REFUND_STATUSES[refund.status] &&
          answer.refund.amountMinor === refund.amountMinor,
      );
}

/** An answer that shows exactly the payment, and may reveal the names of an attempt. */
function paymentShown(state: Existing): Effect {
  const shown = textOf(statusContent(state.intent));
  const attempt = reportedAttempt(state.intent);
  return {
    state,
    after: (answer) => {
      if (answer.type !== 'payment' || textOf(answer.payment) !== shown) {
        return [];
      }
      const { id = null, transactionId = null } = answer.payment.transaction ?? {};
      return named(state, attempt?.id, id).flatMap((next) =>
        named(next, referenceName(attempt), transactionId),
      );
    },
  };
}

/** What two views of a payment must have in common. */
function textOf({ transaction, anomalies, refunds, ...payment }: PaymentView): string {
  return JSON.stringify([
    payment.totalAmount,
    payment.status,
    payment.previousStatus,
    payment.sequence,
    payment.reason,
    payment.late,
    payment.refundedAmount,
    transaction?.transactionStatus,
    anomalies.length,
    refunds.map(({ refundUniqueId, status, amountMinor }) => [
      ...[refundUniqueId, status, amountMinor],
    ]),
  ]);
}

/** An attempt keeps its names, and no other attempt has them. An answer without one reveals none. */
function named(state: PaymentState, name: string | undefined, shown: string | null) {
  const { names } = state;
  if (shown === null) {
    return [state];
  }
  const isNew = name !== undefined && !(name in names) && !Object.values(names).includes(shown);
  return isNew || (name !== undefined && names[name] === shown)
    ? [{ ...state, names: { ...names, [name]: shown } }]
    : [];
}

function referenceName(attempt: Attempt | null): string | undefined {
  return attempt === null ? undefined : `reference of ${attempt.id}`;
}

function problem(state: PaymentState, status: number, code?: string): Effect {
  return expecting(
    state,
    (answer) =>
      answer.type === 'problem' &&
      answer.status === status &&
      (code === undefined || answer.code === code),
  );
}

function expecting(state: PaymentState, isExpected: (answer: Answer) => boolean): Effect {
  return { state, after: (answer) => (isExpected(answer) ? [state] : []) };
}

function isExisting(state: PaymentState): state is Existing {
  return state.intent !== null && state.create !== null;
}

function decided(state: Existing, commands: readonly Command[]) {
  const { intent, rejection } = decide(state.intent, commands, NOW_MS);
  return { next: { ...state, intent }, rejection };
}

function attemptName(index: number): string {
  return `attempt-${index}`;
}

function started(index: number): Command {
  return {
    type: 'start_attempt',
    expectedAttempts: index,
    attempt: {
      id: attemptName(index),
      reference: attemptName(index),
      method: 'TELE_BIRR',
      phone: null,
      railId: 'simulator',
      startClaim: 'not_needed',
      flow: 'redirect',
      deadlineAtMs: NEVER_MS,
      windowIsFinal: true,
      checkAtMs: null,
    },
  };
}

function resolved(index: number, outcome: 'succeeded' | 'failed'): Command {
  return {
    type: 'resolve_attempt',
    attemptId: attemptName(index),
    outcome:
      outcome === 'succeeded'
        ? { type: 'succeeded', receipt: null }
        : { type: 'failed', reason: 'declined' },
  };
}

function newIntent({ kind, amountMinor }: Create): Intent {
  const open = openIntent(termsOf(kind, amountMinor));
  return kind === 'hosted' ? open : decide(open, [started(0)], NOW_MS).intent;
}

/** Only what decides about answers is as the clients ask for it. */
function termsOf(kind: CreateKind, amountMinor: number): IntentTerms {
  return plainTerms({
    environment: 'sandbox',
    kind: kind === 'hosted' ? 'hosted' : 'express',
    amountMinor,
    methods: [{ method: 'TELE_BIRR', commissionMinor: 0 }],
    simulation: 'interactive',
    createdAtMs: NOW_MS,
    expiresAtMs: NEVER_MS,
  });
}
