import { cancel } from './cancel.ts';
import type { Command } from './command.ts';
import { endpoints } from './endpoints.ts';
import { listen } from './listen.ts';
import { events, payments, refunds } from './lists.ts';
import { refund } from './refund.ts';
import { resend } from './resend.ts';
import { trigger } from './trigger.ts';

/** The commands of `kefel`, by their names. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  listen,
  trigger,
  payments,
  cancel,
  refund,
  refunds,
  events,
  resend,
  endpoints,
};
