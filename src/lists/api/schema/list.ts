import * as v from 'valibot';
import { bodyRecord, idField, optional, uniqueIdField } from '../../../engine/api/schema/fields.ts';
import { metadataObject } from '../../../engine/api/schema/metadata.ts';
import { METHODS } from '../../../engine/domain/method.ts';
import { phoneFrom } from '../../../engine/domain/phone.ts';
import { LISTED_STATUSES } from '../../../engine/intent/protocol.ts';
import { WIRE_EVENT_TYPES } from '../../../engine/webhooks/endpoints.ts';
import { WIRE_STATUSES } from '../../../engine/webhooks/payload.ts';
import { WIRE_REFUND_STATUSES } from '../../../engine/webhooks/refund-payload.ts';
import { fieldError } from '../../../kit/http/field-error.ts';
import { oneOf } from '../../../kit/http/fields.ts';
import { cursorField, pageEntries, parsed, timeField } from '../../../kit/http/list-request.ts';

/** The parameters of the API's lists (docs/lists.md#lists). */

const ROWS_DEFAULT = 20;

const listEntries = {
  createdFrom: v.optional(timeField),
  createdTo: v.optional(timeField),
  ...pageEntries(ROWS_DEFAULT),
};

const STATUSES = Object.values(WIRE_STATUSES);

/** GET …/intents */
export const paymentsQuery = v.object({
  status: v.optional(oneOf(STATUSES)),
  method: v.optional(oneOf(METHODS)),
  endedFrom: v.optional(timeField),
  endedTo: v.optional(timeField),
  paidFrom: v.optional(timeField),
  paidTo: v.optional(timeField),
  customerPhone: v.optional(
    parsed(phoneFrom, fieldError('invalid_format', 'Must be an Ethiopian mobile number.')),
  ),
  metadata: v.optional(metadataObject),
  paymentLinkUniqueId: v.optional(idField),
  ...listEntries,
});

/** GET …/events */
export const eventsQuery = v.object({
  paymentIntentUniqueId: v.optional(uniqueIdField),
  type: v.optional(oneOf(WIRE_EVENT_TYPES)),
  deliveryState: v.optional(oneOf(LISTED_STATUSES)),
  ...listEntries,
});

/** GET …/refunds */
export const refundsQuery = v.object({
  status: v.optional(oneOf([...new Set(Object.values(WIRE_REFUND_STATUSES))])),
  paymentIntentUniqueId: v.optional(uniqueIdField),
  ...listEntries,
});

/** GET …/links */
export const linksQuery = v.object({
  isActive: v.optional(oneOf(['true', 'false'])),
  ...listEntries,
});

/** The body of POST …/events/resend. */
export const resendBody = bodyRecord({ since: timeField, cursor: optional(cursorField) });
