import type { FailureReason } from '../domain/intent.ts';
import type { Method } from '../domain/method.ts';
import type { CalendarDate, FormProblem } from './messages.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** English, and the shape of every other language. */
export const english = {
  /** For `lang`, numbers and amounts. */
  locale: 'en-ET',
  /** What the language calls itself. */
  languageName: 'English',
  languages: 'Language',

  /** A moment in Ethiopia's time zone; `ethiopic` is the same day in the Ethiopian calendar. */
  dateTime: ({ day, month, year }: CalendarDate, _ethiopic: CalendarDate, time: string) =>
    `${day} ${MONTHS[month - 1]} ${year}, ${time} EAT`,

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
    TELE_BIRR_USSD: 'Confirm on your phone',
    CBE: 'On the CBE Birr page',
    ETS_SWITCH: 'Any bank card or account',
    M_PESA: 'Confirm on your phone',
    E_BIRR: 'Confirm on your phone',
  } satisfies Record<Method, string>,

  details: 'What you pay for',
  detailsPaid: 'What you paid for',
  quantityTimes: (quantity: string, price: string) => `${quantity} × ${price}`,
  quantity: (quantity: string) => `Quantity ${quantity}`,
  subtotal: 'Subtotal',
  commission: 'Service fee',
  commissionByMethod: 'depends on method',
  plusCommission: 'plus a service fee that depends on the method',
  total: 'Total',
  feeIncluded: (fee: string) => `includes a fee of ${fee}`,
  feeOf: (fee: string) => `fee ${fee}`,

  choosePageTitle: (amount: string, merchant: string) => `Pay ${amount} to ${merchant}`,
  chooseMethod: 'How do you want to pay?',
  phoneLabel: 'Phone number',
  phoneHint: 'The number of your mobile money account, such as 0911 234 567.',
  phoneFixed: 'The merchant has set this number for the payment.',
  pay: 'Continue',
  payAmount: (amount: string) => `Pay ${amount}`,
  working: 'One moment…',
  payBefore: (time: string) => `Please pay before ${time}.`,
  timeLeftToPay: (time: string) => `Time left to pay: ${time}`,
  timeLeftToConfirm: (time: string) => `Time left to confirm: ${time}`,
  fiveMinutesLeft: '5 minutes left.',
  oneMinuteLeft: '1 minute left.',
  lastAttempt: 'This is your last try.',

  leaveTitle: 'Leave without paying?',
  leaveLead: (merchant: string) =>
    `This ends the payment. To pay later, start again at ${merchant}.`,
  giveUp: (merchant: string) => `Cancel and return to ${merchant}`,
  giveUpNowhere: 'Cancel this payment',
  returnTo: (merchant: string) => `Return to ${merchant}`,

  qrTitle: 'Continue on your phone',
  qrLead: 'Scan this code with the camera of your phone.',
  qrAlternative: 'QR code with the address of this page',

  problemTitle: 'Please check your choice',
  problem: {
    method_missing: 'Choose how you want to pay.',
    phone_missing: 'Enter your phone number: this method asks you to confirm on your phone.',
    phone_invalid:
      'Enter an Ethiopian mobile number: 9 digits that start with 9 or 7, with or without 0 or +251 before them.',
    phone_not_taken:
      'This method does not take this number. Enter a number that has an account with it, or choose another method.',
  } satisfies Record<FormProblem, string>,

  failureTitle: 'You have not paid yet',
  failure: {
    declined: 'The payment was declined. You can try again or choose another method.',
    abandoned:
      'You left the payment before we heard that it was made. If you did pay, do not pay again: reload this page in a minute.',
    timed_out: 'The payment was not confirmed in time. You can try again or choose another method.',
    rail_unavailable:
      'This method is not available at the moment. Try again later or choose another method.',
    insufficient_funds:
      'Your account does not have enough money for this payment. Add money, or choose another method.',
    canceled_by_customer: 'You canceled the payment. You can try again or choose another method.',
    wrong_pin: 'The PIN was not right. You can try again or choose another method.',
    misconfigured:
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
  pushNothingTitle: 'No message yet?',
  pushNothing:
    'It can take a minute. Check that the phone is switched on and has network. Do not pay a second time.',
  pushSimulator: 'Open the test phone',
  unresolvedTitle: 'We are checking your payment',
  unresolvedLead: (method: string) =>
    `${method} has not told us the result yet. Please do not pay again: this page shows the result as soon as we know.`,
  waiting: 'Waiting for confirmation…',
  checkNow: 'Check now',
  noConnection: 'No connection. This page goes on by itself as soon as it is back.',
  notSentOffline: 'You are offline, so nothing was sent. Try again when the connection is back.',

  paidTitle: 'Payment successful',
  alreadyPaidTitle: 'This payment is already paid',
  alreadyPaidLead: 'You do not need to pay again.',
  returningIn: (merchant: string, seconds: string) => `You return to ${merchant} in ${seconds} s.`,
  returningSoon: (merchant: string) => `You return to ${merchant} in a few seconds.`,
  stayHere: 'Stay on this page',
  print: 'Print or save the receipt',
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
    insufficient_funds: 'There was not enough money in the account.',
    canceled_by_customer: 'You canceled the payment.',
    wrong_pin: 'The PIN was not right.',
    misconfigured: 'The payment method was not available.',
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
  tooManyTitle: 'Too many tries',
  tooManyLead: 'Too many requests went to this phone number. Please wait a minute, then try again.',
  tryingAgainIn: (time: string) => `Trying again in ${time}`,
  tryAgain: 'Try again',
} as const;
