import * as v from 'valibot';
import type { EventType } from '../../../engine/domain/intent.ts';
import { METHODS } from '../../../engine/domain/method.ts';
import { WIRE_EVENTS } from '../../../engine/webhooks/payload.ts';
import { oneOf, shortText, wholeNumber } from '../../../kit/http/fields.ts';
import { body } from '../../../kit/http/strict-body.ts';
import { CURRENCIES } from '../../../kit/money.ts';
import { STATUSES } from '../../../lists/book/queries/payment-source.ts';
import type {
  DayRange,
  EventFilter,
  PaymentFilter,
  RefundFilter,
} from '../../../lists/book/rows.ts';
import {
  type AreaArguments,
  actorField,
  countField,
  cursorField,
  limitField,
  rangeEntries,
  tenantField,
  typedField,
  wholeField,
} from './fields.ts';

const payments = body({
  status: v.optional(oneOf(STATUSES)),
  method: v.optional(oneOf(METHODS)),
  currency: v.optional(oneOf(CURRENCIES)),
  createdFromMs: v.optional(wholeField),
  createdToMs: v.optional(wholeField),
  amountMinorMin: v.optional(countField),
  amountMinorMax: v.optional(countField),
  shownMinor: v.optional(countField),
  refunds: v.optional(oneOf(['any', 'open'])),
} satisfies Record<keyof PaymentFilter, v.GenericSchema>);

const refunds = body({
  status: v.optional(
    oneOf(['pending', 'processing', 'requires_action', 'succeeded', 'failed', 'canceled']),
  ),
  uniqueId: v.optional(typedField),
  ...rangeEntries,
} satisfies Record<keyof RefundFilter, v.GenericSchema>);

const events = body({
  uniqueId: v.optional(typedField),
  deliveryStatus: v.optional(typedField),
  endpointId: v.optional(typedField),
  type: v.optional(oneOf(Object.keys(WIRE_EVENTS) as EventType[])),
  ...rangeEntries,
} satisfies Record<keyof EventFilter, v.GenericSchema>);

const days = body({
  fromDay: wholeField,
  toDay: wholeField,
  method: v.optional(oneOf(METHODS)),
} satisfies Record<keyof DayRange, v.GenericSchema>);

/** Longer than a cursor with its signature. */
const AFTER_CHARACTERS_MAX = 500;
const afterField = v.nullable(shortText(AFTER_CHARACTERS_MAX));

/** A year of days fits into each period of the trend. */
const DAYS_EACH_MAX = 366;
const overview = body({ days, trend: days, daysEach: wholeNumber(1, DAYS_EACH_MAX) });

export const LISTS: AreaArguments<'lists'> = {
  paymentsWithTotals: [tenantField, payments, cursorField, limitField],
  search: [tenantField, typedField],
  didPay: [tenantField, typedField],
  exported: [tenantField, actorField, payments, oneOf(['masked', 'full']), afterField],
  statement: [tenantField, actorField, days, afterField],
  refunds: [tenantField, refunds, cursorField, limitField],
  events: [tenantField, events, cursorField, limitField],
  refusedRequests: [tenantField],
  overview: [tenantField, v.nullable(overview)],
};
