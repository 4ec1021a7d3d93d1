import { type Command, type Given, UsageError } from './command.ts';
import { NOTE, PAYMENT, paymentLines, paymentPath } from './payment-commands.ts';
import * as values from './values.ts';

function decision(given: Given): Readonly<Record<string, unknown>> {
  const reference = given.option('reference');
  const isReturned = given.has('returned');
  if (isReturned === given.has('not-returned')) {
    throw new UsageError('give either --returned with --reference, or --not-returned');
  }
  if (isReturned !== (reference !== undefined)) {
    throw new UsageError(
      isReturned ? '--returned needs --reference' : '--reference is only for --returned',
    );
  }
  return {
    outcome: isReturned ? 'returned' : 'not_returned',
    ...(reference !== undefined && { reference }),
    note: given.option('note'),
    resolutionId: crypto.randomUUID(),
  };
}

function refundRequest(given: Given): Readonly<Record<string, unknown>> {
  const [amountMinor, transactionId] = [given.option('amount-minor'), given.option('attempt')];
  return {
    refundUniqueId: given.option('id') ?? `op_${crypto.randomUUID()}`,
    ...(amountMinor !== undefined && { amountMinor: values.wholeMinorUnits(amountMinor) }),
    ...(transactionId !== undefined && { transactionId }),
    reason: given.option('reason'),
  };
}

/** Refunds in a merchant's name, and those that need a person. */
export const REFUND_COMMANDS: readonly Command[] = [
  {
    name: 'refund request',
    about: "refund a payment in the merchant's name, within the merchant's limits",
    positionals: PAYMENT,
    options: {
      'amount-minor': {
        value: 'N',
        about: 'without commission, in minor units: 5000 is 50.00 (default: all that is left)',
      },
      amount: {
        value: 'AMOUNT',
        about: 'use --amount-minor, in minor units: 5000 is 50.00',
        isRefused: true,
      },
      attempt: { value: 'TRANSACTION', about: 'its transactionId (default: the one that paid)' },
      id: { value: 'ID', about: 'refundUniqueId; the same id refunds once (default: random)' },
      reason: {
        value: 'TEXT',
        about: "why; the merchant's members can see it",
        isRequired: true,
      },
    },
    examples: [
      'refund request production abebe order-1 --reason "Paid twice, case 812"',
      'refund request production abebe order-1 --amount-minor 10000 --id case-812 --reason "Agreed"',
    ],
    request: (given) => ({ path: `${paymentPath(given)}/refunds`, body: refundRequest(given) }),
    lines: paymentLines,
  },
  {
    name: 'refund resolve',
    about: 'record what became of a refund; above the limit, another operator repeats it',
    positionals: [...PAYMENT, 'REFUND'],
    options: {
      returned: { value: null, about: 'the customer got the money' },
      reference: { value: 'TEXT', about: "the provider's number of the refund" },
      'not-returned': { value: null, about: 'the customer did not get it and never will' },
      note: NOTE,
    },
    examples: [
      'refund resolve production abebe order-1 refund-1 --returned --reference RF99 --note "Returned in the portal"',
      'refund resolve production abebe order-1 refund-1 --not-returned --note "The account is closed"',
    ],
    request: (given) => ({
      path: `${paymentPath(given)}/refunds/${given.segment('REFUND')}/resolve`,
      body: decision(given),
    }),
    lines: paymentLines,
  },
  {
    name: 'refund send-again',
    about: 'send an unresolved refund to its provider again, with the same number',
    positionals: [...PAYMENT, 'REFUND'],
    options: { note: NOTE },
    examples: [
      'refund send-again production abebe order-1 refund-1 --note "The gateway crashed at 12:04"',
    ],
    request: (given) => ({
      path: `${paymentPath(given)}/refunds/${given.segment('REFUND')}/repeat`,
      body: { note: given.option('note'), repeatId: crypto.randomUUID() },
    }),
    lines: paymentLines,
  },
];
