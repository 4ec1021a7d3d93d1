import type { FailureReason } from '../domain/intent.ts';
import type { Method } from '../domain/method.ts';

/** Why the form came back to the customer. */
export type FormProblem = 'method_missing' | 'phone_missing' | 'phone_invalid';

/** Every word a customer reads, English. Another language is another object of this type. */
export const english = {
  /** For `lang`, numbers and dates. */
  locale: 'en-ET',

  testBanner: 'Test payment — no money moves',
  payTo: 'Pay to',
  poweredBy: 'Secured by Kefel',
  keepLinkPrivate: 'This page is only for you. Do not share its address.',

  methodName: {
    TELE_BIRR: 'telebirr',
    TELE_BIRR_USSD: 'telebirr USSD',
    CBE: 'CBE Birr',
    ETS_SWITCH: 'EthSwitch',
    M_PESA: 'M-PESA',
    E_BIRR: 'eBirr',
  } satisfies Record<Method, string>,
  methodHint: {
    TELE_BIRR: 'On the telebirr page',
    TELE_BIRR_USSD: 'Approve on your phone',
    CBE: 'Approve on your phone',
    ETS_SWITCH: 'Any bank card or account',
    M_PESA: 'Approve on your phone',
    E_BIRR: 'Approve on your phone',
  } satisfies Record<Method, string>,

  details: 'What you pay for',
  quantityTimes: (quantity: string, price: string) => `${quantity} × ${price}`,
  quantity: (quantity: string) => `Quantity ${quantity}`,
  subtotal: 'Subtotal',
  commission: 'Service fee',
  commissionByMethod: 'depends on method',
  plusCommission: 'plus a service fee that depends on the method',
  total: 'Total',
  feeIncluded: (fee: string) => `includes a fee of ${fee}`,

  choosePageTitle: (amount: string, merchant: string) => `Pay ${amount} to ${merchant}`,
  chooseMethod: 'How do you want to pay?',
  phoneLabel: 'Phone number',
  phoneHint: 'The number of your mobile money account, such as 0911 234 567.',
  phoneFixed: 'The merchant has set this number for the payment.',
  pay: 'Continue',
  payAmount: (amount: string) => `Pay ${amount}`,
  giveUp: (merchant: string) => `Cancel and return to ${merchant}`,
  giveUpNowhere: 'Cancel this payment',
  payBefore: (time: string) => `Please pay before ${time}.`,
  lastAttempt: 'This was your last try.',

  problemTitle: 'Please check your choice',
  problem: {
    method_missing: 'Choose how you want to pay.',
    phone_missing: 'Enter your phone number: this method asks you to confirm on your phone.',
    phone_invalid:
      'Enter an Ethiopian mobile number: 9 digits that start with 9 or 7, with or without 0 or +251 before them.',
  } satisfies Record<FormProblem, string>,

  failureTitle: 'You have not paid yet',
  failure: {
    declined: 'The payment was declined. You can try again or choose another method.',
    abandoned:
      'You left the payment before we heard that it was made. If you did pay, do not pay again: reload this page in a minute.',
    timed_out: 'The payment was not confirmed in time. You can try again or choose another method.',
    rail_unavailable:
      'This method is not available at the moment. Try again later or choose another method.',
  } satisfies Record<FailureReason, string>,

  redirectTitle: (method: string) => `Continue with ${method}`,
  redirectLead: (method: string) =>
    `Your payment with ${method} is waiting for you. You come back here when it is done.`,
  redirectWait: (method: string) => `We are connecting you to ${method}.`,
  continueTo: (method: string) => `Continue to ${method}`,
  anotherMethod: 'Choose another method',
  abandonWarning: 'Only if you have not paid already.',

  pushTitle: 'Confirm on your phone',
  pushLead: (method: string, phone: string) => `${method} has sent a request to ${phone}.`,
  pushLeadNoPhone: (method: string) => `${method} is processing your payment.`,
  pushSteps: [
    'Open the message on your phone.',
    'Check the amount and enter your PIN.',
    'Keep this page open: it shows the result by itself.',
  ],
  unresolvedTitle: 'We are checking your payment',
  unresolvedLead: (method: string) =>
    `${method} has not told us the result yet. Please do not pay again: this page shows the result as soon as we know.`,
  waiting: 'Waiting for confirmation…',
  checkNow: 'Check now',

  paidTitle: 'Payment successful',
  returningSoon: (merchant: string) => `You return to ${merchant} in a few seconds.`,
  reference: 'Reference',
  paidWith: 'Paid with',
  method: 'Method',
  merchant: 'Merchant',
  amount: 'Amount',
  paidAt: 'Date and time',

  failedTitle: 'Payment not completed',
  failedReason: {
    declined: 'The payment was declined.',
    abandoned: 'You ended this payment without paying.',
    timed_out: 'The payment was not confirmed in time.',
    rail_unavailable: 'The payment method was not available.',
  } satisfies Record<FailureReason, string>,
  failedLead: (merchant: string) => `To pay after all, start again at ${merchant}.`,
  expiredTitle: 'This payment has expired',
  expiredLead: (merchant: string) =>
    `The time to pay is over, and this page takes no more payments. To pay after all, start again at ${merchant}.`,
  canceledTitle: 'This payment was canceled',
  canceledLead: (merchant: string) =>
    `${merchant} canceled this payment. You cannot pay it any more.`,
  mayStillSettle: (merchant: string) =>
    `If you did pay, you need not do anything: we tell ${merchant} as soon as it is confirmed.`,
  returnTo: (merchant: string) => `Return to ${merchant}`,

  simulatorTitle: 'Payment simulator',
  simulatorLead: (method: string) =>
    `This page stands in for ${method} in the sandbox. Choose how this test payment ends.`,
  simulatorApprove: 'Approve the payment',
  simulatorDecline: 'Decline (try again possible)',
  simulatorDeclineFinal: 'Decline the payment',
  simulatorGiveUp: 'Fail and return to merchant',
  simulatorBack: 'Back to checkout',
  simulatorSettledTitle: 'This test payment is settled',
  simulatorSettled: {
    succeeded: 'It was approved.',
    failed: 'It has failed.',
    expired: 'Its time ran out.',
  },
  simulatorOnward: 'See the payment',

  unknownTitle: 'We cannot find this payment',
  unknownLead:
    'The address may be incomplete or mistyped. Open the link from the merchant again, or ask the merchant for a new one.',
  errorTitle: 'Something went wrong on our side',
  errorLead:
    'Please try again in a moment. If you have paid already, do not pay again: your payment is safe.',
  badFormTitle: 'That did not work',
  badFormLead: 'The form could not be read. Go back to the payment and try again.',
  busyTitle: 'One moment, please',
  busyLead:
    'This payment was opened very often in a short time. Please try again in a few seconds.',
  tryAgain: 'Try again',
} as const;

type Widened<T> = T extends string
  ? string
  : T extends (...parameters: infer Parameters) => string
    ? (...parameters: Parameters) => string
    : { readonly [Key in keyof T]: Widened<T[Key]> };

/** The shape of a language. */
export type Messages = Widened<typeof english>;
