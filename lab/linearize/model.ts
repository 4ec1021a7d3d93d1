import { decide, openIntent } from '../../src/domain/decide.ts';
import {
  type Command,
  type Intent,
  type IntentTerms,
  reportedAttempt,
} from '../../src/domain/intent.ts';
import { plainTerms } from '../../src/domain/plain-terms.ts';
import type { Refund } from '../../src/domain/refund.ts';
import { refundableMinor } from '../../src/domain/refund-amounts.ts';
import { REFUND_SCENARIOS } from '../../src/rails/simulator/refunds.ts';
import { statusContent, wireStatus } from '../../src/webhooks/payload.ts';
import { WIRE_REFUND_STATUSES } from '../../src/webhooks/refund-payload.ts';
import type { Answer, Call, CreateKind, Operation, PaymentView, Way } from './operations.ts';
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
  /** The ids that the gateway chose, by attempt, once a client has seen them. */
  readonly attemptIds: readonly (string | null)[];
  readonly references: readonly (string | null)[];
}

type Existing = PaymentState & { readonly intent: Intent; readonly create: Create };

const NOW_MS = 0;
/** The last moment that a Date can be. */
const NEVER_MS = 8_640_000_000_000_000;
const FAILS_AT_RAIL_MINOR: readonly number[] = [
  REFUND_SCENARIOS.declined.amountMinor,
  REFUND_SCENARIOS.insufficient_funds.amountMinor,
];

export const PAYMENT_MODEL: Model<PaymentState, Call> = {
  initial: { intent: null, create: null, createAnswer: null, attemptIds: [], references: [] },
  before: (state, call) => withHiddenSteps(state, (refund) => concerns(call, refund)),
  next: (state, { operation, answer }) => nextStates(state, operation, answer),
  keyOf({ intent, create, createAnswer, attemptIds, references }) {
    return JSON.stringify([
      create,
      createAnswer,
      attemptIds,
      references,
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
        reached.push(after(each, commands).state);
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
  express_interactive: null,
  express_succeeds: 'succeeded',
  express_fails: 'failed',
};

function nextStates(
  state: PaymentState,
  operation: Operation,
  answer: Answer | null,
): readonly PaymentState[] {
  if (operation.type === 'create') {
    return create(state, operation, answer);
  }
  if (!isExisting(state)) {
    return unchangedIf(state, answer, isProblem(answer, 404));
  }
  switch (operation.type) {
    case 'read':
      return answer?.type === 'payment' ? shown(state, answer.payment) : unchanged(state, answer);
    case 'cancel':
      return cancel(state, answer);
    case 'open_page':
      return openPage(state, answer);
    case 'choose_method':
      return chooseMethod(state, operation.attempts, answer);
    case 'decide':
      return customerDecides(state, operation, answer);
    case 'abandon_attempt':
      return abandonAttempt(state, operation.attemptId, answer);
    case 'give_up': {
      const { state: next, rejection } = after(state, [{ type: 'abandon_payment' }]);
      return ways(next, answer, [{ to: rejection === null ? 'leaving' : 'page' }]);
    }
    case 'request_refund':
      return requestRefund(state, operation, answer);
    case 'cancel_refund':
      return cancelRefund(state, operation.refundId, answer);
    case 'read_refund': {
      const refund = state.intent.refunds.find(({ id }) => id === operation.refundId);
      return unchangedIf(
        state,
        answer,
        refund === undefined ? isProblem(answer, 404) : isShown(refund, answer),
      );
    }
  }
}

function create(state: PaymentState, asked: Create, answer: Answer | null) {
  if (!isExisting(state)) {
    if (answer !== null && !(answer.type === 'created' && !answer.isReplay)) {
      return [];
    }
    const created = { ...state, intent: newIntent(asked), create: asked };
    return [known({ ...created, createAnswer: answer?.body ?? null })];
  }
  const first = state.create;
  if (asked.idempotencyKey === null || asked.idempotencyKey !== first.idempotencyKey) {
    return unchangedIf(state, answer, isProblem(answer, 409, 'duplicate_payment_id'));
  }
  if (asked.kind !== first.kind || asked.amountMinor !== first.amountMinor) {
    return unchangedIf(state, answer, isProblem(answer, 422, 'idempotency_key_reused'));
  }
  // An express call that has not been answered yet.
  if (first.kind !== 'hosted' && isProblem(answer, 409, 'idempotency_key_in_use')) {
    return [state];
  }
  if (answer === null) {
    return [state];
  }
  const isSame = state.createAnswer === null || isCreated(answer, state.createAnswer);
  return answer.type === 'created' && answer.isReplay && isSame
    ? [{ ...state, createAnswer: answer.body }]
    : [];
}

function isCreated(answer: Answer, body: string): boolean {
  return answer.type === 'created' && answer.body === body;
}

function cancel(state: Existing, answer: Answer | null) {
  const { state: next, rejection } = after(state, [{ type: 'cancel' }]);
  if (rejection !== null) {
    const code = rejection === 'attempt_in_flight' ? 'payment_in_progress' : 'payment_ended';
    return unchangedIf(next, answer, isProblem(answer, 409, code));
  }
  return answer?.type === 'payment' ? shown(next, answer.payment) : unchanged(next, answer);
}

function openPage(state: Existing, answer: Answer | null) {
  if (answer === null) {
    return [state];
  }
  const { status, attempts, terms } = state.intent;
  if (answer.type !== 'page' || answer.attempts !== (status === 'open' ? attempts.length : null)) {
    return [];
  }
  const isAbandonable = status === 'processing' && terms.kind === 'hosted';
  if (isAbandonable !== (answer.attemptId !== null)) {
    return [];
  }
  return answer.attemptId === null ? [state] : named(state, attempts.length - 1, answer.attemptId);
}

function chooseMethod(state: Existing, attempts: number, answer: Answer | null) {
  const { intent } = state;
  if (intent.status !== 'open' || intent.attempts.length !== attempts) {
    return ways(state, answer, [
      { to: intent.status === 'succeeded' ? 'paid_before' : 'page' },
      ...(intent.status === 'processing'
        ? [{ to: 'simulator', attempt: intent.attempts.length - 1 } as const]
        : []),
    ]);
  }
  const { state: next } = after(state, [started(attempts)]);
  // The page, when the attempt has ended before its answer was made.
  return ways(next, answer, [{ to: 'simulator', attempt: attempts }, { to: 'page' }]);
}

function customerDecides(
  state: Existing,
  { attempt, choice }: Extract<Operation, { type: 'decide' }>,
  answer: Answer | null,
) {
  const { kind } = state.intent.terms;
  const outcome =
    choice === 'approve' ? 'succeeded' : choice === 'decline' ? 'failed' : 'abandoned';
  const { state: next, rejection } = after(state, [
    resolved(attempt, outcome),
    ...(choice === 'give_up' && kind === 'hosted' ? [{ type: 'abandon_payment' } as const] : []),
  ]);
  const leaves = choice === 'give_up' || kind === 'express';
  if (!leaves || rejection === 'attempt_not_pending') {
    return ways(next, answer, [{ to: 'page' }]);
  }
  if (answer === null) {
    return [next];
  }
  const way = answer.type === 'redirect' ? answer.way : null;
  if (way?.to !== 'merchant' || way.status !== wireStatus(next.intent.status)) {
    return [];
  }
  const paid = reportedIndex(next.intent);
  return way.transactionId === null ? [] : referred(next, paid, way.transactionId);
}

function abandonAttempt(state: Existing, attemptId: string, answer: Answer | null) {
  const index = state.attemptIds.indexOf(attemptId);
  const { state: next } = after(state, [
    { type: 'abandon_attempt', attemptId: index === -1 ? attemptId : attemptName(index) },
  ]);
  return ways(next, answer, [{ to: 'page' }]);
}

function requestRefund(
  state: Existing,
  { refundId, amountMinor }: Extract<Operation, { type: 'request_refund' }>,
  answer: Answer | null,
) {
  const { intent } = state;
  if (intent.refunds.some(({ id }) => id === refundId)) {
    return unchangedIf(state, answer, isProblem(answer, 409, 'duplicate_refund_id'));
  }
  const paid = intent.attempts.find(({ id }) => id === intent.paidAttemptId);
  if (paid === undefined) {
    return unchangedIf(state, answer, isProblem(answer, 409, 'payment_not_paid'));
  }
  const { state: next, rejection } = after(state, [
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
    },
  ]);
  if (rejection !== null) {
    return unchangedIf(next, answer, isProblem(answer, 409, 'refund_too_large'));
  }
  const refund = next.intent.refunds.at(-1);
  return unchangedIf(next, answer, refund !== undefined && isShown(refund, answer));
}

function cancelRefund(state: Existing, refundId: string, answer: Answer | null) {
  const { state: next, rejection } = after(state, [{ type: 'cancel_refund', refundId }]);
  const refund = next.intent.refunds.find(({ id }) => id === refundId);
  if (refund === undefined) {
    return unchangedIf(next, answer, isProblem(answer, 404));
  }
  return unchangedIf(
    next,
    answer,
    rejection === null ? isShown(refund, answer) : isProblem(answer, 409, 'refund_not_cancelable'),
  );
}

function isShown({ id, status, amountMinor }: Refund, answer: Answer | null): boolean {
  return (
    answer?.type === 'refund' &&
    answer.refund.refundUniqueId === id &&
    answer.refund.status === WIRE_REFUND_STATUSES[status] &&
    answer.refund.amountMinor === amountMinor
  );
}

/** The state if an answer shows exactly it, with the ids that the answer reveals. */
function shown(state: Existing, view: PaymentView): readonly PaymentState[] {
  const expected = statusContent(state.intent);
  const isSame =
    view.totalAmount === expected.totalAmount &&
    view.status === expected.status &&
    view.previousStatus === expected.previousStatus &&
    view.sequence === expected.sequence &&
    view.reason === expected.reason &&
    view.late === expected.late &&
    view.transaction?.transactionStatus === expected.transaction?.transactionStatus &&
    view.anomalies.length === expected.anomalies.length &&
    view.refundedAmount === expected.refundedAmount &&
    view.refunds.length === expected.refunds.length &&
    view.refunds.every(({ refundUniqueId, status, amountMinor }, index) => {
      const refund = expected.refunds[index];
      return (
        refundUniqueId === refund?.refundUniqueId &&
        status === refund.status &&
        amountMinor === refund.amountMinor
      );
    });
  if (!isSame) {
    return [];
  }
  if (view.transaction === null) {
    return [state];
  }
  const { id, transactionId } = view.transaction;
  const index = reportedIndex(state.intent);
  return named(state, index, id).flatMap((next) => referred(next, index, transactionId));
}

function reportedIndex(intent: Intent): number {
  const attempt = reportedAttempt(intent);
  return attempt === null ? -1 : intent.attempts.indexOf(attempt);
}

/** An attempt keeps its id, and no other attempt has it. */
function named<State extends PaymentState>(state: State, index: number, id: string): State[] {
  const ids = assigned(state.attemptIds, index, id);
  return ids === null ? [] : [{ ...state, attemptIds: ids }];
}

function referred<State extends PaymentState>(state: State, index: number, id: string): State[] {
  const references = assigned(state.references, index, id);
  return references === null ? [] : [{ ...state, references }];
}

function assigned(ids: readonly (string | null)[], index: number, id: string) {
  const current = ids[index];
  if (current === undefined || (current === null ? ids.includes(id) : current !== id)) {
    return null;
  }
  return ids.with(index, id);
}

function ways(
  state: PaymentState,
  answer: Answer | null,
  possible: readonly Way[],
): readonly PaymentState[] {
  const way = answer?.type === 'redirect' ? JSON.stringify(answer.way) : null;
  return unchangedIf(
    state,
    answer,
    possible.some((each) => JSON.stringify(each) === way),
  );
}

function unchanged(state: PaymentState, answer: Answer | null): readonly PaymentState[] {
  return unchangedIf(state, answer, false);
}

/** An operation without an answer may have had its effect. */
function unchangedIf(
  state: PaymentState,
  answer: Answer | null,
  isExpected: boolean,
): readonly PaymentState[] {
  return answer === null || isExpected ? [state] : [];
}

function isProblem(answer: Answer | null, status: number, code?: string): boolean {
  return (
    answer?.type === 'problem' &&
    answer.status === status &&
    (code === undefined || answer.code === code)
  );
}

function isExisting(state: PaymentState): state is Existing {
  return state.intent !== null && state.create !== null;
}

function after(state: Existing, commands: readonly Command[]) {
  const { intent, rejection } = decide(state.intent, commands, NOW_MS);
  return { state: known({ ...state, intent }), rejection };
}

/** With a place for the ids of every attempt. */
function known<State extends PaymentState & { readonly intent: Intent }>(state: State): State {
  const places = <T>(ids: readonly T[]) =>
    state.intent.attempts.map((_, index) => ids[index] ?? null);
  return { ...state, attemptIds: places(state.attemptIds), references: places(state.references) };
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

function resolved(index: number, outcome: 'succeeded' | 'failed' | 'abandoned'): Command {
  return {
    type: 'resolve_attempt',
    attemptId: attemptName(index),
    onlyPending: true,
    outcome:
      outcome === 'succeeded'
        ? { type: 'succeeded', receipt: null }
        : { type: 'failed', reason: outcome === 'failed' ? 'declined' : 'abandoned' },
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
