import type { OperatorAction } from './action.ts';
import { ATTENTION_ACTIONS } from './attention.ts';
import { BACKUP_ACTIONS } from './backups.ts';
import { CUSTOMER_ACTIONS } from './customers.ts';
import { EXPORT_ACTIONS } from './exports.ts';
import { GATEWAY_ACTIONS } from './gateway.ts';
import { MERCHANT_ACTIONS } from './merchants.ts';
import { MODE_ACTIONS } from './modes.ts';
import { PAYMENT_ACTIONS } from './payments.ts';
import { PROVIDER_FILE_ACTIONS } from './provider-files.ts';
import { RESTORE_ACTIONS } from './restore.ts';

/** Every action of the operator. */
export const ACTIONS: readonly OperatorAction[] = [
  ...MERCHANT_ACTIONS,
  ...EXPORT_ACTIONS,
  ...PAYMENT_ACTIONS,
  ...PROVIDER_FILE_ACTIONS,
  ...ATTENTION_ACTIONS,
  ...CUSTOMER_ACTIONS,
  ...GATEWAY_ACTIONS,
  ...RESTORE_ACTIONS,
  ...MODE_ACTIONS,
  ...BACKUP_ACTIONS,
];
