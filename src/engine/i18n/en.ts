import type { CalendarDate } from '../../kit/i18n/time-text.ts';
import type { FailureReason } from '../domain/attempt.ts';
import { METHOD_HINTS, METHOD_NAMES } from './methods.ts';

/**
 * The English texts of customers' pages. Other languages have a file each, of the same shape: a
 * translator edits one file, and the compiler names each text that is missing or takes other values.
 * `back-office/i18n` has the texts for merchants and operators.
 */

export const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** What customers read. */
export const checkout = {
  /** For `lang`, numbers and amounts. */
  locale: 'en-ET',
  languages: 'Language',

  /** A moment in Ethiopia's time zone; `ethiopic` is the same day in the Ethiopian calendar. */
  dateTime: ({ day, month, year }: CalendarDate, _ethiopic: CalendarDate, time: string) =>
    `${day} ${MONTHS[month - 1]} ${year}, ${time} EAT`,
  /** A moment of the next hours. */
  timeOfDay: (time: string) => `${time} EAT`,

  testBanner: 'Test payment — no real money',
  payTo: 'Pay to',
  poweredBy: 'Secured by Kefel',
  keepLinkPrivate: 'This page is only for you. Do not share its link.',

  methodName: METHOD_NAMES,
  methodHint: METHOD_HINTS.en,

  details: 'Order summary',
  detailsPaid: 'Order summary',
  quantityTimes: (quantity: string, price: string) => `${quantity} × ${price}`,
  quantity: (quantity: string) => `Quantity ${quantity}`,
  subtotal: 'Subtotal',
  commission: 'Service fee',
  commissionByMethod: 'varies by method',
  plusCommission: 'plus a service fee that varies by method',
  total: 'Total',
  feeIncluded: (fee: string) => `includes a fee of ${fee}`,
  feeOf: (fee: string) => `+${fee} fee`,
  noFee: 'No service fee',

  choosePageTitle: (amount: string, merchant: string) => `Pay ${amount} to ${merchant}`,
  chooseMethod: 'How do you want to pay?',
  phoneLabel: 'Phone number',
  phoneHint: (method: string) =>
    `The number of your ${method} account, for example 0911\u00a0234\u00a0567.`,
  phoneHintMpesa: 'M\u2011PESA numbers start with 07, for example 0712\u00a0345\u00a0678.',
  phoneFixed: 'The merchant set this number for the payment.',
  lastNumber: (phone: string) =>
    `Your last try was with ${phone}. If that is the wrong number, change it here.`,
  pay: 'Continue',
  payAmount: (amount: string) => `Pay ${amount}`,
  tryMethodAgain: (method: string) => `Try ${method} again`,
  working: 'One moment…',
  payBefore: (time: string) => `Please pay before ${time}.`,
  timeLeftToPay: (time: string) => `Time left to pay: ${time}`,
  reportedUntil: (method: string, time: string) =>
    `Once you have confirmed, ${method} can take until ${time} to tell us.`,
  timeLeftToConfirm: (time: string) => `Time left to confirm: ${time}`,
  fiveMinutesLeft: '5 minutes left.',
  oneMinuteLeft: '1 minute left.',
  lastAttempt: 'This is your last attempt.',
  anotherTry: (method: string) =>
    `You can enter another number or choose another method as soon as ${method} tells us that this request was not paid.`,
  earliestTry: (time: string) =>
    `That can be as soon as it is declined on that phone. If it is not answered, its time is over at ${time}.`,
  startAgain: (merchant: string) =>
    `Once this payment has ended, start again at ${merchant} with the right number.`,

  leaveTitle: 'Leave without paying?',
  leaveLead: (merchant: string) =>
    `This ends the payment. To pay later, start again at ${merchant}.`,
  giveUp: (merchant: string) => `Cancel and return to ${merchant}`,
  giveUpNowhere: 'Cancel this payment',
  keepPaying: 'Keep paying',
  returnTo: (merchant: string) => `Return to ${merchant}`,

  qrTitle: 'Continue on your phone',
  qrLead: 'Scan this code with your phone’s camera.',
  qrAlternative: 'QR code for this page',

  notAvailableNow: 'Not available now',
  notWorkingNow: 'Not working at the moment',
  problemTitle: 'Please check your details',
  problem: {
    method_missing: 'Choose how you want to pay.',
    phone_missing:
      'Enter your phone number, for example {example}. You confirm the payment on that phone.',
    phone_invalid: 'Enter an Ethiopian mobile number with all its digits, for example {example}.',
    phone_not_taken:
      'This method does not accept this number. Enter the number of your account with it, for example 0911\u00a0234\u00a0567, or choose another method.',
    method_unavailable:
      'This method is not available right now. Try again later or choose another method.',
    too_many_prompts:
      'Too many requests were sent to this phone number. Please wait a minute, then try again.',
  },

  leftTitle: (method: string) => `Already paid with ${method}?`,
  leftLead: 'Then do not pay again; this page will show it.',
  failureTitle: 'You have not paid yet',
  failure: {
    declined: 'The payment was declined. You can try again or choose another method.',
    timed_out: 'The payment was not confirmed in time. You can try again or choose another method.',
    rail_unavailable:
      'This method is not available right now. Try again later or choose another method.',
    insufficient_funds:
      'Your account does not have enough money for this payment. Add money or choose another method.',
    canceled_by_customer: 'The payment was canceled. You can try again or choose another method.',
    wrong_pin: 'The PIN was incorrect. You can try again or choose another method.',
    misconfigured:
      'This method is not available right now. Try again later or choose another method.',
  } satisfies Record<Exclude<FailureReason, 'abandoned'>, string>,

  redirectTitle: (method: string) => `Continue with ${method}`,
  redirectLead: (method: string) =>
    `Complete your payment with ${method}. You will return here when it is done.`,
  redirectWait: (method: string) => `Connecting you to ${method}…`,
  continueTo: (method: string) => `Continue to ${method}`,
  anotherMethod: 'Choose another method',
  abandonWarning: 'Only if you have not already paid.',

  pushTitle: 'Confirm on your phone',
  pushLead: (method: string, phone: string) => `${method} has sent a payment request to ${phone}.`,
  pushLeadNoPhone: (method: string) => `${method} is processing your payment.`,
  pushSteps: [
    'Open the message on your phone.',
    (amount: string) => `Check that the amount is ${amount}, and enter your PIN.`,
    'Keep this page open. The result will appear here.',
  ],
  pushNothingTitle: 'No message, or wrong number?',
  pushNothing:
    'A message can take a minute. Make sure your phone is on and has a signal. Do not pay a second time.',
  wrongNumber: (phone: string) =>
    `Is ${phone} not your number? Then the request went to another person, who can only pay from their own account. Nothing is taken from yours.`,
  pushSimulator: 'Open the test phone',
  unresolvedTitle: 'We are checking your payment',
  unresolvedLead: (method: string) =>
    `We have not received the result from ${method} yet. Please do not pay again. This page will show the result as soon as we have it.`,
  waiting: 'Waiting for confirmation…',
  checkNow: 'Check now',
  claimTitle: 'I have paid',
  claimSent: 'You sent us the transaction number',
  noConnection: 'No connection. This page will continue when you are back online.',
  notSentOffline: 'You are offline, so nothing was sent. Try again when you are back online.',

  paidTitle: 'Payment successful',
  alreadyPaidTitle: 'This payment has already been paid',
  alreadyPaidLead: 'You do not need to pay again.',
  returningIn: (merchant: string, seconds: string) => `Returning to ${merchant} in ${seconds} s.`,
  returningSoon: (merchant: string) => `Returning to ${merchant} in a few seconds.`,
  stayHere: 'Stay on this page',
  reference: 'Reference',
  orderId: 'Order number',
  paidWith: 'Paid with',
  method: 'Method',
  merchant: 'Merchant',
  amount: 'Amount',
  paidAt: 'Date and time',
  help: 'Help',
  serviceStatus: 'Service status',

  failedTitle: 'Payment not completed',
  failedReason: {
    declined: 'The payment was declined.',
    abandoned: 'You ended this payment without paying.',
    timed_out: 'The payment was not confirmed in time.',
    rail_unavailable: 'The payment method was not available.',
    insufficient_funds: 'There was not enough money in the account.',
    canceled_by_customer: 'The payment was canceled.',
    wrong_pin: 'The PIN was incorrect.',
    misconfigured: 'The payment method was not available.',
  } satisfies Record<FailureReason, string>,
  failedLead: (merchant: string) => `If you still want to pay, start again at ${merchant}.`,
  expiredTitle: 'This payment has expired',
  expiredLead: (merchant: string) =>
    `The time to pay has run out, and this page no longer accepts payments. If you still want to pay, start again at ${merchant}.`,
  canceledTitle: 'This payment was canceled',
  canceledLead: (merchant: string) =>
    `${merchant} canceled this payment. You can no longer pay it.`,
  mayStillSettle: (merchant: string) =>
    `If you did pay, you do not need to do anything. We will notify ${merchant} as soon as the payment is confirmed.`,

  simulatorTitle: 'Payment simulator',
  simulatorLead: (method: string) =>
    `This page stands in for ${method} in the sandbox. Choose the outcome of this test payment.`,
  simulatorApprove: 'Approve the payment',
  simulatorDecline: 'Decline (customer can try again)',
  simulatorDeclineFinal: 'Decline the payment',
  simulatorGiveUp: 'Fail and return to merchant',
  simulatorBack: 'Back to checkout',
  simulatorSettledTitle: 'This test payment has ended',
  simulatorSettled: {
    succeeded: 'It was approved.',
    failed: 'It failed.',
    expired: 'It expired.',
  },
  simulatorOnward: 'View the payment',
  simulatorAmounts: 'Amounts with a fixed outcome',
  simulatorAmountsMore: 'What each of them does',

  unknownTitle: 'We cannot find this payment',
  unknownLead:
    'The link may be incomplete or mistyped. Open the merchant’s link again, or ask the merchant for a new one.',
  lostTitle: 'There is no page at this address',
  lostLead: 'To pay, open the merchant’s link. Each payment has a page of its own.',
  lostHome: 'Home',
  lostDocs: 'Documentation',
  lostDashboard: 'Dashboard for merchants',
  errorTitle: 'Something went wrong on our side',
  errorLead:
    'Please try again in a moment. If you have already paid, do not pay again. Your payment is safe.',
  badFormTitle: 'That did not work',
  badFormLead: 'We could not read the form. Go back to the payment and try again.',
  busyTitle: 'One moment, please',
  busyLead:
    'This payment was opened too many times in a short time. Please try again in a few seconds.',
  tooManyTitle: 'Too many attempts',
  tryingAgainIn: (time: string) => `Trying again in ${time}`,
  tryAgain: 'Try again',
  receipt: {
    title: 'Receipt',
    share: 'Share',
    save: 'Save or print',
    number: 'Receipt number',
    walletNumber: 'Receipt number of your wallet',
    paid: 'Paid',
    net: 'Paid after refunds',
    paidTwice: (merchant: string) =>
      `You paid more than once. If the difference has not come back to you, ask ${merchant}.`,
    noTaxReceipt: 'This confirms the payment. It does not replace the merchant’s tax receipt.',
    until: (time: string) => `You can open it again with the code until ${time}.`,
    overTitle: 'This receipt can no longer be opened',
    overLead:
      'A receipt can be opened for one year. If you need proof of the payment, ask the merchant.',
  },
  /** On a receipt. */
  refunds: {
    /** Each is followed by an amount and a time. */
    underway: 'On its way back to you. This can take a few days.',
    returned: 'Returned to you',
    notReturned: (merchant: string) => `Not returned. Please ask ${merchant}.`,
  },
} as const;
