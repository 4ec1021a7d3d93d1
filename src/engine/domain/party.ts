import type { Command } from './command.ts';
import type { IntentKind } from './terms.ts';

/** Who causes a transition of a payment. */
export type Party = 'merchant' | 'customer' | 'rail' | 'clock' | 'operator';

const PARTY_OF: Readonly<Record<Exclude<Command['type'], 'start_attempt'>, Party>> = {
  claim_start: 'rail',
  customer_returned: 'customer',
  report_callback: 'rail',
  review_anomalies: 'operator',
  report_receipt_conflict: 'clock',
  report_surplus: 'clock',
  accept_attempt: 'rail',
  resolve_attempt: 'rail',
  resolve_manually: 'operator',
  claim_receipt: 'customer',
  abandon_attempt: 'customer',
  cancel: 'merchant',
  abandon_payment: 'customer',
  tick: 'clock',
  claim_refund: 'clock',
  resolve_refund: 'rail',
  resolve_refund_manually: 'operator',
  repeat_refund: 'operator',
  claim_refund_repeat: 'clock',
  void_refund_claim: 'clock',
  cancel_refund: 'merchant',
  request_refund: 'merchant',
};

/** What begins a payment's life, or brings it back from a backup, besides its commands. */
export type HistoryCommand = Command['type'] | 'create' | 'restore';

/** The actor of a command. In an express payment, the merchant also starts the attempt. */
export function partyOf(command: HistoryCommand, kind: IntentKind): Party {
  switch (command) {
    case 'create':
      return 'merchant';
    case 'restore':
      return 'operator';
    case 'start_attempt':
      return kind === 'express' ? 'merchant' : 'customer';
    default:
      return PARTY_OF[command];
  }
}
