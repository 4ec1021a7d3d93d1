import { type Mutant, mutantsOf } from './mutant.ts';

/**
 * Mistakes in amounts that merchants see. What Kefel stores and what it shows agree in most of them,
 * so only the simulation's own books (`lab/simulation/books.ts`) tell.
 */
export const AMOUNT_MUTANTS: readonly Mutant[] = [
  ...mutantsOf('src/webhooks/payload.ts', [
    [
      'totalAmount: terms.amountMinor,',
      'totalAmount: terms.amountMinor + commission,',
      'an event names an amount with the commission',
    ],
    [
      'chargedAmount: terms.amountMinor + (terms.commissionPaidByCustomer ? commission : 0),',
      'chargedAmount: terms.amountMinor + commission,',
      'an event adds a commission that the merchant pays',
    ],
    [
      '      refundedAmount: refundedOf(intent).amountMinor,\n      refund:',
      '      refundedAmount: refund.amountMinor,\n      refund:',
      "the event of a refund names its own amount as the payment's refunded sum",
    ],
  ]),
  ...mutantsOf('src/webhooks/refund-payload.ts', [
    [
      'returnedMinor: refund.returnedMinor,',
      'returnedMinor: refund.amountMinor,',
      'the commission is missing in what a refund returned',
    ],
  ]),
  ...mutantsOf('src/intent/projected-view.ts', [
    [
      'commissionMinor: method === null ? 0 : commissionOf(terms, method),',
      'commissionMinor: method === null ? 0 : commissionOf(terms, terms.methods[0]?.method ?? method),',
      "a row has the commission of the payment's first method",
    ],
    [
      'refundedMinor: refundedOf(intent).amountMinor,',
      'refundedMinor: refundedOf(intent).returnedMinor,',
      "the lists' refunded sums include commission",
    ],
  ]),
  ...mutantsOf('src/domain/money.ts', [
    [
      "roundedShare(amountMinor, rate.basisPoints, 'half_up')",
      "roundedShare(amountMinor, rate.basisPoints, 'down')",
      'the commission is rounded down',
    ],
  ]),
  ...mutantsOf('src/domain/refund-amounts.ts', [
    [
      'const commissionReturnedMinor = keepsCommission ? 0 : givenUpMinor;',
      'const commissionReturnedMinor = keepsCommission ? 0 : Math.min(leftMinor, 2 * givenUpMinor);',
      'a part gives up the double commission, until none is left',
    ],
    [
      'returnedMinor: amountMinor + (terms.commissionPaidByCustomer ? commissionReturnedMinor : 0),',
      'returnedMinor: amountMinor + commissionReturnedMinor,',
      'a refund returns a commission that the customer never paid',
    ],
  ]),
  ...mutantsOf('src/refunds/request.ts', [
    [
      'if (claim.isOnly && isRejected(result)) {',
      'if (!claim.isOnly && isRejected(result)) {',
      "the claim of a refused refund counts in the merchant's daily limit forever",
    ],
  ]),
];
