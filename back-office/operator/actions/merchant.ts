import { REASON_CHARACTERS_MAX } from '../../../src/control/operator/fields.ts';
import { type ActionField, type Input, required } from './action.ts';

/** What the actions about a merchant share. */

export const MERCHANT = '/merchants/:merchantId';

export const REASON_INPUT: Input = {
  label: 'pages.why',
  hint: 'pages.reasonHint',
  lengthMax: REASON_CHARACTERS_MAX,
};

export const REASON: ActionField = required(
  'TEXT',
  "reason; the merchant's owners see it in their audit log",
  { input: REASON_INPUT },
);
