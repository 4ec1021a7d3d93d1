import { paymentContent } from '../payment-content.ts';
import { type ActionField, by, type OperatorAction, optional, required } from './action.ts';
import { REASON_INPUT } from './merchant.ts';

const PAYMENT = '/payments/:environment/:merchantId/:uniqueId';

const REASON = required('TEXT', 'why; only operators see it', {
  input: { ...REASON_INPUT, hint: 'pages.secretReasonHint' },
});

const HOLD_PAYMENT: OperatorAction = {
  path: `${PAYMENT}/hold`,
  answers: 'payment',
  run: by(
    ({ holdPayment }) => holdPayment,
    (details) => ({ message: 'Held', content: paymentContent(details), done: 'held' }),
  ),
  fields: {
    reason: REASON,
    until: optional('DAY', 'through this day, such as 2027-12-31 (default: until released)', {
      input: {
        label: 'pages.heldUntil',
        hint: 'pages.heldUntilHint',
        lengthMax: 10,
        isOptional: true,
        read: (typed) => (typed === '' ? undefined : typed),
      },
    }),
  },
  commands: [
    {
      name: 'payment hold',
      about: 'keep a payment: retention and customers’ requests do not delete it',
      examples: ['payment hold production abebe order-1 --reason "Court order 12/2026"'],
    },
  ],
  forms: [
    {
      subject: 'payment',
      path: '/hold',
      title: 'pages.holdPayment',
      lead: 'pages.holdLead',
      fields: ['reason', 'until'],
    },
  ],
};

const RELEASE_PAYMENT: OperatorAction = {
  path: `${PAYMENT}/release`,
  answers: 'payment',
  run: by(
    ({ releasePayment }) => releasePayment,
    (details) => ({ message: 'Released', content: paymentContent(details), done: 'released' }),
  ),
  fields: { reason: REASON },
  commands: [
    {
      name: 'payment release',
      about: 'end the hold of a payment; past its retention, it is then deleted at once',
      examples: ['payment release production abebe order-1 --reason "Case closed"'],
    },
  ],
  forms: [
    {
      subject: 'payment',
      path: '/release',
      title: 'pages.releasePayment',
      lead: 'pages.releaseLead',
      fields: ['reason'],
    },
  ],
};

/** Whose payments: one of the two. The command line gives `after` for the next page. */
const CUSTOMER: Readonly<Record<string, ActionField>> = {
  phone: optional('NUMBER', 'the customer’s phone number'),
  email: optional('ADDRESS', 'the customer’s e-mail address, instead of the phone number'),
  reason: required('TEXT', 'such as the number of the customer’s request; without personal data'),
  after: {},
};

/** The command that goes through all pages is scripts/operator/customer.ts. */
export const EXPORT_CUSTOMER: OperatorAction = {
  path: '/customers/export',
  answers: 'customer',
  run: by(
    ({ exportCustomer }) => exportCustomer,
    (content) => ({ message: 'Exported', content }),
  ),
  fields: CUSTOMER,
  commands: [],
};

export const ERASE_CUSTOMER: OperatorAction = {
  path: '/customers/erase',
  answers: 'customer',
  run: by(
    ({ eraseCustomer }) => eraseCustomer,
    (content) => ({ message: 'Erased', content }),
  ),
  fields: {
    ...CUSTOMER,
    refundableToo: {},
  },
  commands: [],
};

/** What operators do about customers' data. */
export const CUSTOMER_ACTIONS = [HOLD_PAYMENT, RELEASE_PAYMENT, EXPORT_CUSTOMER, ERASE_CUSTOMER];
