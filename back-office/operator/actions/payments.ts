import { FAILURE_REASONS } from '../../../src/domain/intent.ts';
import {
  MANUAL_RECEIPT_LENGTH_MAX,
  NOTE_LENGTH_MAX,
} from '../../../src/domain/manual-resolution.ts';
import type { Decided } from '../../../src/interface/operations.ts';
import { NOTE_CHARACTERS_MAX, REFUND_REASON_LENGTH_MAX } from '../../../src/operations/fields.ts';
import { amountMinorFrom } from '../../elements/typed-amount.ts';
import { PAYMENT_ROUTE } from '../desk/paths.ts';
import { paymentContent } from '../payment-content.ts';
import type { ActionField, OperatorAction, Outcome } from './action.ts';

const PAYMENT = '/payments/:environment/:merchantId/:uniqueId';

function noteOf(lengthMax: number): ActionField {
  return {
    option: {
      value: 'TEXT',
      about: "what you found out; the merchant's owners can see it",
      isRequired: true,
    },
    input: {
      label: ({ desk }) => desk.pages.note,
      hint: ({ desk }) => desk.pages.noteHint,
      lengthMax,
    },
  };
}

const NOTE = noteOf(NOTE_LENGTH_MAX);
/** The same form sent twice is one decision. */
const DECISION_ID: ActionField = { random: () => crypto.randomUUID() };

function decided({ isRepeated, isProposed, payment }: Decided, done: string): Outcome {
  const message = isProposed ? 'Stored. Another operator must confirm it' : 'Resolved';
  return {
    message: isRepeated ? 'Already recorded' : message,
    done: isProposed ? 'proposed' : done,
    content: paymentContent(payment),
  };
}

const ATTEMPT_PAGE = `${PAYMENT_ROUTE}/attempts/:attemptId` as const;

const RESOLVE_ATTEMPT: OperatorAction = {
  path: `${PAYMENT}/attempts/:attemptId/resolve`,
  answers: 'payment',
  run: async ({ payments, actor }, target, fields) =>
    decided(await payments.operations.resolveAttempt(actor, target, fields), 'resolved'),
  fields: {
    outcome: {
      flags: {
        succeeded: { value: 'succeeded', about: 'the customer has paid', needs: 'receipt' },
        failed: { value: 'failed', about: 'the customer has definitely not paid', needs: 'reason' },
      },
    },
    receipt: {
      option: { value: 'TEXT', about: "the provider's proof of payment" },
      input: {
        label: ({ desk }) => desk.pages.receipt,
        hint: ({ desk }) => desk.pages.receiptHint,
        lengthMax: MANUAL_RECEIPT_LENGTH_MAX,
      },
    },
    reason: {
      option: { value: 'REASON', about: 'such as declined, timed_out or canceled_by_customer' },
      input: {
        label: ({ desk }) => desk.pages.why,
        options: ({ desk }) =>
          FAILURE_REASONS.map((reason) => [reason, desk.pages.reasons[reason]] as const),
      },
    },
    note: NOTE,
    resolutionId: DECISION_ID,
  },
  commands: [
    {
      name: 'payment resolve',
      about: 'record the outcome of an attempt, as the provider confirmed it to you',
      examples: [
        'payment resolve production abebe order-1 4QXW… --succeeded --receipt CBE123 --note "Seen in the portal"',
        'payment resolve production abebe order-1 4QXW… --failed --reason timed_out --note "Not in the portal"',
      ],
    },
  ],
  forms: [
    {
      path: `${ATTEMPT_PAGE}/paid`,
      subject: 'attempt',
      title: ({ desk }) => desk.pages.recordPaid,
      lead: ({ desk }) => desk.pages.paidLead,
      tone: 'bad',
      fields: ['receipt', 'note'],
      preset: () => ({ outcome: 'succeeded' }),
    },
    {
      path: `${ATTEMPT_PAGE}/unpaid`,
      subject: 'attempt',
      title: ({ desk }) => desk.pages.recordUnpaid,
      lead: ({ desk }) => desk.pages.unpaidLead,
      tone: 'bad',
      fields: ['reason', 'note'],
      preset: () => ({ outcome: 'failed' }),
    },
    {
      path: `${ATTEMPT_PAGE}/confirm`,
      subject: 'attempt',
      title: ({ desk }) => desk.pages.confirmPaid,
      lead: ({ desk }) => desk.pages.confirmPaidLead,
      tone: 'bad',
      fields: ['note'],
      preset: () => ({ outcome: 'succeeded' }),
      // If another proposal has replaced the one that the page shows, the form does not confirm that.
      carries: ['receipt'],
      confirms: true,
      over: { attempt_not_pending: 'attempt_not_pending' },
    },
  ],
};

const REVIEW_PAYMENT: OperatorAction = {
  path: `${PAYMENT}/review`,
  answers: 'review',
  run: async ({ payments, actor }, target, fields) => ({
    message: 'Reviewed',
    content: await payments.operations.reviewPayment(actor, target, fields),
  }),
  fields: { note: noteOf(NOTE_CHARACTERS_MAX) },
  commands: [
    {
      name: 'payment review',
      about: 'mark a payment as reviewed: it leaves the attention list until something new happens',
      examples: ['payment review production abebe order-1 --note "Refunded by telebirr"'],
    },
  ],
  forms: [
    {
      path: `${PAYMENT_ROUTE}/review`,
      subject: 'payment',
      title: ({ desk }) => desk.pages.markReviewed,
      lead: ({ desk }) => desk.pages.reviewLead,
      fields: ['note'],
      // The form may stay open for hours: it reviews only what its page showed.
      carries: ['anomalies', 'unresolvedAttempts', 'late'],
      run: async ({ payments, actor }, target, fields) => {
        await payments.operations.reviewSeenPayment(actor, target, fields);
        return { message: 'Reviewed', done: 'reviewed' };
      },
    },
  ],
};

const REQUEST_REFUND: OperatorAction = {
  path: `${PAYMENT}/refunds`,
  answers: 'payment',
  run: async ({ payments, actor }, target, fields) => {
    const { isRepeated, payment } = await payments.operations.requestRefund(actor, target, fields);
    return {
      content: paymentContent(payment),
      message: isRepeated ? 'Already requested' : 'Refund requested',
      done: 'refund_requested',
    };
  },
  fields: {
    amountMinor: {
      kind: 'minor_units',
      option: {
        name: 'amount-minor',
        value: 'N',
        about: 'without commission, in minor units: 5000 is 50.00 (default: all that is left)',
      },
      input: {
        label: ({ dashboard }) => dashboard.refunds.amount,
        read: (typed) => amountMinorFrom(typed) ?? typed,
      },
    },
    transactionId: {
      option: {
        name: 'attempt',
        value: 'TRANSACTION',
        about: 'its transactionId (default: the one that paid)',
      },
    },
    refundUniqueId: {
      option: {
        name: 'id',
        value: 'ID',
        about: 'refundUniqueId; the same id refunds once (default: random)',
      },
      random: () => `op_${crypto.randomUUID()}`,
    },
    reason: {
      option: { value: 'TEXT', about: "why; the merchant's members can see it", isRequired: true },
      input: {
        label: ({ desk }) => desk.pages.why,
        hint: ({ desk }) => desk.pages.reasonHint,
        lengthMax: REFUND_REASON_LENGTH_MAX,
      },
    },
  },
  commands: [
    {
      name: 'refund request',
      about: "refund a payment in the merchant's name, within the merchant's limits",
      examples: [
        'refund request production abebe order-1 --reason "Paid twice, case 812"',
        'refund request production abebe order-1 --amount-minor 10000 --id case-812 --reason "Agreed"',
      ],
      refused: {
        amount: {
          value: 'AMOUNT',
          about: 'use --amount-minor, in minor units: 5000 is 50.00',
          isRefused: true,
        },
      },
    },
  ],
  forms: [
    {
      path: `${PAYMENT_ROUTE}/refund/:attemptId`,
      subject: 'attempt',
      title: ({ dashboard }) => dashboard.refunds.refund,
      lead: ({ desk }) => desk.refunds.requestLead,
      tone: 'bad',
      fields: ['amountMinor', 'reason'],
      preset: ({ attemptId }) => ({ transactionId: attemptId }),
    },
  ],
};

/** By the reference alone: a merchant could choose an id that equals it. */
const REFUND_PAGE = `${PAYMENT_ROUTE}/refunds/:refundReference` as const;
const REFUND_OVER = {
  refund_not_resolvable: 'refund_not_resolvable',
  refund_not_repeatable: 'refund_not_resolvable',
};

const RESOLVE_REFUND: OperatorAction = {
  path: `${PAYMENT}/refunds/:refundId/resolve`,
  answers: 'payment',
  run: async ({ payments, actor }, target, fields) =>
    decided(await payments.operations.resolveRefund(actor, target, fields), 'decided'),
  fields: {
    outcome: {
      flags: {
        returned: { value: 'returned', about: 'the customer got the money', needs: 'reference' },
        'not-returned': {
          value: 'not_returned',
          about: 'the customer did not get it and never will',
        },
      },
    },
    reference: {
      option: { value: 'TEXT', about: "the provider's number of the refund" },
      input: {
        label: ({ desk }) => desk.refunds.railReference,
        hint: ({ desk }) => desk.refunds.railReferenceHint,
        lengthMax: MANUAL_RECEIPT_LENGTH_MAX,
      },
    },
    note: NOTE,
    resolutionId: DECISION_ID,
  },
  commands: [
    {
      name: 'refund resolve',
      about: 'record what became of a refund; above the limit, another operator repeats it',
      examples: [
        'refund resolve production abebe order-1 refund-1 --returned --reference RF99 --note "Returned in the portal"',
        'refund resolve production abebe order-1 refund-1 --not-returned --note "The account is closed"',
      ],
    },
  ],
  forms: [
    {
      path: `${REFUND_PAGE}/returned`,
      subject: 'refund',
      title: ({ desk }) => desk.refunds.recordReturned,
      lead: ({ desk }) => desk.refunds.returnedLead,
      tone: 'bad',
      fields: ['reference', 'note'],
      preset: () => ({ outcome: 'returned' }),
      over: REFUND_OVER,
    },
    {
      path: `${REFUND_PAGE}/not-returned`,
      subject: 'refund',
      title: ({ desk }) => desk.refunds.recordNotReturned,
      lead: ({ desk }) => desk.refunds.notReturnedLead,
      tone: 'bad',
      fields: ['note'],
      preset: () => ({ outcome: 'not_returned' }),
      over: REFUND_OVER,
    },
    {
      path: `${REFUND_PAGE}/confirm`,
      subject: 'refund',
      title: ({ desk }) => desk.refunds.confirm,
      lead: ({ desk }) => desk.refunds.confirmLead,
      tone: 'bad',
      fields: ['note'],
      // If another proposal has replaced the one that the page shows, the form does not confirm that.
      carries: ['outcome', 'reference'],
      confirms: true,
      over: REFUND_OVER,
    },
  ],
};

const REPEAT_REFUND: OperatorAction = {
  path: `${PAYMENT}/refunds/:refundId/repeat`,
  answers: 'payment',
  run: async ({ payments, actor }, target, fields) => {
    const { isRepeated, payment } = await payments.operations.repeatRefund(actor, target, fields);
    return {
      message: isRepeated ? 'Already sent again' : 'Sending again',
      done: 'sent_again',
      content: paymentContent(payment),
    };
  },
  fields: { note: NOTE, repeatId: DECISION_ID },
  commands: [
    {
      name: 'refund send-again',
      about: 'send an unresolved refund to its provider again, with the same number',
      examples: [
        'refund send-again production abebe order-1 refund-1 --note "The gateway crashed at 12:04"',
      ],
    },
  ],
  forms: [
    {
      path: `${REFUND_PAGE}/send-again`,
      subject: 'refund',
      title: ({ desk }) => desk.refunds.sendAgain,
      lead: ({ desk }) => desk.refunds.sendAgainLead,
      tone: 'bad',
      fields: ['note'],
      over: REFUND_OVER,
    },
  ],
};

/** What operators change about payments and refunds. */
export const PAYMENT_ACTIONS = [
  REVIEW_PAYMENT,
  RESOLVE_ATTEMPT,
  REQUEST_REFUND,
  RESOLVE_REFUND,
  REPEAT_REFUND,
];
