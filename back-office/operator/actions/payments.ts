import { NOTE_CHARACTERS_MAX } from '../../../src/control/operator/fields.ts';
import type { Decided } from '../../../src/control/rpc/operator.ts';
import { FAILURE_REASONS } from '../../../src/engine/domain/attempt.ts';
import {
  MANUAL_RECEIPT_LENGTH_MAX,
  NOTE_LENGTH_MAX,
} from '../../../src/engine/domain/manual-resolution.ts';
import { REFUND_REASON_LENGTH_MAX } from '../../../src/engine/domain/refund.ts';
import { amountMinorFrom } from '../../../src/kit/typed-amount.ts';
import { paymentContent } from '../payment-content.ts';
import {
  type ActionField,
  type ActionForm,
  by,
  type OperatorAction,
  type Outcome,
  optional,
  required,
} from './action.ts';

const PAYMENT = '/payments/:environment/:merchantId/:uniqueId';

export function noteOf(lengthMax: number): ActionField {
  return required('TEXT', "what you found out; the merchant's owners can see it", {
    input: { label: 'pages.note', hint: 'pages.noteHint', lengthMax },
  });
}

const NOTE = noteOf(NOTE_LENGTH_MAX);

export const FAILURE_REASON: readonly [value: string, about: string, more: ActionField] = [
  'REASON',
  'such as declined, timed_out or canceled_by_customer',
  {
    input: {
      label: 'pages.why',
      options: ({ pages }) => FAILURE_REASONS.map((reason) => [reason, pages.reasons[reason]]),
    },
  },
];

/** The same form sent twice is one decision. */
export const DECISION_ID: ActionField = { random: () => crypto.randomUUID() };

/** The outcome of a decision, with the desk's message and the API's two. */
function decidedAs(done: string, message: string, repeated: string) {
  return ({ isRepeated, isProposed, agreed, payment }: Decided): Outcome => {
    const first = isProposed ? 'Stored. Another operator must confirm it' : message;
    return {
      message: isRepeated ? repeated : first,
      done: isProposed ? 'proposed' : done,
      content: { ...paymentContent(payment), ...(agreed !== null && { agreed }) },
    };
  };
}

const RESOLVE_ATTEMPT: OperatorAction = {
  path: `${PAYMENT}/attempts/:attemptId/resolve`,
  answers: 'payment',
  run: by(
    ({ resolveAttempt }) => resolveAttempt,
    decidedAs('resolved', 'Resolved', 'Already recorded'),
  ),
  fields: {
    outcome: {
      flags: {
        succeeded: { value: 'succeeded', about: 'the customer has paid', needs: 'receipt' },
        failed: { value: 'failed', about: 'the customer has definitely not paid', needs: 'reason' },
      },
    },
    receipt: optional('TEXT', "the provider's proof of payment", {
      input: {
        label: 'pages.receipt',
        hint: 'pages.receiptHint',
        lengthMax: MANUAL_RECEIPT_LENGTH_MAX,
      },
    }),
    reason: optional(...FAILURE_REASON),
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
      subject: 'attempt',
      path: '/paid',
      title: 'pages.recordPaid',
      lead: 'pages.paidLead',
      fields: ['receipt', 'note'],
      preset: () => ({ outcome: 'succeeded' }),
    },
    {
      subject: 'attempt',
      path: '/unpaid',
      title: 'pages.recordUnpaid',
      lead: 'pages.unpaidLead',
      fields: ['reason', 'note'],
      preset: () => ({ outcome: 'failed' }),
    },
    {
      subject: 'attempt',
      path: '/confirm',
      title: 'pages.confirmPaid',
      lead: 'pages.confirmPaidLead',
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
  run: by(
    ({ reviewPayment }) => reviewPayment,
    (content) => ({ message: 'Reviewed', content }),
  ),
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
      subject: 'payment',
      path: '/review',
      title: 'pages.markReviewed',
      lead: 'pages.reviewLead',
      fields: ['note'],
      // The form may stay open for hours: it reviews only what its page showed.
      carries: ['anomalies', 'unresolvedAttempts', 'late'],
      run: by(
        ({ reviewSeenPayment }) => reviewSeenPayment,
        () => ({ message: 'Reviewed', done: 'reviewed' }),
      ),
    },
  ],
};

const REQUEST_REFUND: OperatorAction = {
  path: `${PAYMENT}/refunds`,
  answers: 'payment',
  run: by(
    ({ requestRefund }) => requestRefund,
    decidedAs('refund_requested', 'Refund requested', 'Already requested'),
  ),
  fields: {
    amountMinor: optional(
      'N',
      'without commission, in minor units: 5000 is 50.00 (default: all that is left)',
      {
        name: 'amount-minor',
        kind: 'minor_units',
        input: { label: 'dashboard.amount', read: (typed) => amountMinorFrom(typed) ?? typed },
      },
    ),
    transactionId: optional('TRANSACTION', 'its transactionId (default: the one that paid)', {
      name: 'attempt',
    }),
    refundUniqueId: optional('ID', 'refundUniqueId; the same id refunds once (default: random)', {
      name: 'id',
      random: () => `op_${crypto.randomUUID()}`,
    }),
    reason: required('TEXT', "why; the merchant's members can see it", {
      input: {
        label: 'pages.why',
        hint: 'pages.reasonHint',
        lengthMax: REFUND_REASON_LENGTH_MAX,
      },
    }),
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
      subject: 'paid_attempt',
      path: '',
      title: 'dashboard.refund',
      lead: 'refunds.requestLead',
      fields: ['amountMinor', 'reason'],
      preset: ({ attemptId }) => ({ transactionId: attemptId }),
    },
  ],
};

const ABOUT_REFUND = {
  subject: 'refund',
  over: {
    refund_not_resolvable: 'refund_not_resolvable',
    refund_not_repeatable: 'refund_not_resolvable',
  },
} satisfies Partial<ActionForm>;

const RESOLVE_REFUND: OperatorAction = {
  path: `${PAYMENT}/refunds/:refundId/resolve`,
  answers: 'payment',
  run: by(
    ({ resolveRefund }) => resolveRefund,
    decidedAs('decided', 'Resolved', 'Already recorded'),
  ),
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
    reference: optional('TEXT', "the provider's number of the refund", {
      input: {
        label: 'refunds.railReference',
        hint: 'refunds.railReferenceHint',
        lengthMax: MANUAL_RECEIPT_LENGTH_MAX,
      },
    }),
    note: NOTE,
    resolutionId: DECISION_ID,
  },
  commands: [
    {
      name: 'refund resolve',
      about: 'record the outcome of a refund; above the limit, another operator repeats it',
      examples: [
        'refund resolve production abebe order-1 refund-1 --returned --reference RF99 --note "Returned in the portal"',
        'refund resolve production abebe order-1 refund-1 --not-returned --note "The account is closed"',
      ],
    },
  ],
  forms: [
    {
      ...ABOUT_REFUND,
      path: '/returned',
      title: 'refunds.recordReturned',
      lead: 'refunds.returnedLead',
      fields: ['reference', 'note'],
      preset: () => ({ outcome: 'returned' }),
    },
    {
      ...ABOUT_REFUND,
      path: '/not-returned',
      title: 'refunds.recordNotReturned',
      lead: 'refunds.notReturnedLead',
      fields: ['note'],
      preset: () => ({ outcome: 'not_returned' }),
    },
    {
      ...ABOUT_REFUND,
      path: '/confirm',
      title: 'refunds.confirm',
      lead: 'refunds.confirmLead',
      fields: ['note'],
      // If another proposal has replaced the one that the page shows, the form does not confirm that.
      carries: ['outcome', 'reference'],
      confirms: true,
    },
  ],
};

const REPEAT_REFUND: OperatorAction = {
  path: `${PAYMENT}/refunds/:refundId/repeat`,
  answers: 'payment',
  run: by(
    ({ repeatRefund }) => repeatRefund,
    decidedAs('sent_again', 'Sending again', 'Already sent again'),
  ),
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
      ...ABOUT_REFUND,
      path: '/send-again',
      title: 'refunds.sendAgain',
      lead: 'refunds.sendAgainLead',
      fields: ['note'],
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
