import { BANK_COMMANDS } from './bank-commands.ts';
import type { Command } from './command.ts';
import { DEAD_LETTER_COMMANDS } from './dead-letter-commands.ts';
import { GATEWAY_COMMANDS } from './gateway-commands.ts';
import { PAYMENT_COMMANDS } from './payment-commands.ts';
import { REFUND_COMMANDS } from './refund-commands.ts';

/** Banks, payments, refunds, dead letters and the gateway itself. */
export const DESK_COMMANDS: readonly Command[] = [
  ...PAYMENT_COMMANDS,
  ...REFUND_COMMANDS,
  ...DEAD_LETTER_COMMANDS,
  ...BANK_COMMANDS,
  ...GATEWAY_COMMANDS,
];
