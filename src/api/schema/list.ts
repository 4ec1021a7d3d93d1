import * as v from 'valibot';
import { METHODS } from '../../domain/method.ts';
import { phoneFrom } from '../../domain/phone.ts';
import { type FieldError, type FieldErrors, fieldError } from '../../http/field-error.ts';
import { oneOf, stringField } from '../../http/fields.ts';
import { LISTED_STATUSES } from '../../intent/protocol.ts';
import { parseCursor } from '../../paging.ts';
import { WIRE_EVENTS, WIRE_STATUSES } from '../../webhooks/payload.ts';
import { WIRE_REFUND_STATUSES } from '../../webhooks/refund-payload.ts';
import { bodyRecord, optional, uniqueIdField } from './fields.ts';
import { metadataObject } from './metadata.ts';

/** The parameters of the API's lists (docs/lists.md#lists). They arrive as texts. */

export const ROWS_DEFAULT = 20;
export const ROWS_MAX = 100;
const ROWS = /^[1-9]\d{0,2}$/;

/** RFC 3339. A `+` that was not escaped in a query arrives as a space. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+ -]\d\d:\d\d)$/i;

/** A text that `parse` reads; null: it cannot. */
function parsed<Value>(
  parse: (text: string) => Value | null,
  error: FieldError,
  jsonSchema: Readonly<Record<string, unknown>> = {},
) {
  return v.pipe(
    stringField,
    v.rawTransform<string, Value>(({ dataset, addIssue, NEVER }) => {
      const value = parse(dataset.value);
      if (value === null) {
        addIssue({ message: error });
        return NEVER;
      }
      return value;
    }),
    v.metadata(jsonSchema),
  );
}

/** A time with its zone, as milliseconds since 1970. */
export const timeField = parsed(
  timeFrom,
  fieldError('invalid_format', 'Must be a time such as 2026-11-22T08:00:00Z.'),
  { format: 'date-time' },
);

function timeFrom(text: string): number | null {
  const atMs = TIME.test(text) ? Date.parse(text.toUpperCase().replace(' ', '+')) : Number.NaN;
  return Number.isNaN(atMs) ? null : atMs;
}

export const cursorField = parsed(
  parseCursor,
  fieldError('invalid_format', 'Is not the nextCursor of a page.'),
);

const pageEntries = {
  createdFrom: v.optional(timeField),
  createdTo: v.optional(timeField),
  limit: v.optional(
    parsed(
      (text) => (ROWS.test(text) && Number(text) <= ROWS_MAX ? Number(text) : null),
      fieldError('invalid_format', `Must be a whole number from 1 to ${ROWS_MAX}.`),
      { type: 'integer', minimum: 1, maximum: ROWS_MAX },
    ),
    String(ROWS_DEFAULT),
  ),
  cursor: v.optional(cursorField),
};

const STATUSES = Object.values(WIRE_STATUSES);
const EVENT_TYPES = Object.values(WIRE_EVENTS).map(({ event }) => event);

/** GET …/intents */
export const paymentsQuery = v.object({
  status: v.optional(oneOf(STATUSES)),
  method: v.optional(oneOf(METHODS)),
  endedFrom: v.optional(timeField),
  endedTo: v.optional(timeField),
  customerPhone: v.optional(
    parsed(phoneFrom, fieldError('invalid_format', 'Must be an Ethiopian mobile number.')),
  ),
  metadata: v.optional(metadataObject),
  ...pageEntries,
});

/** GET …/events */
export const eventsQuery = v.object({
  paymentIntentUniqueId: v.optional(uniqueIdField),
  type: v.optional(oneOf(EVENT_TYPES)),
  deliveryState: v.optional(oneOf(LISTED_STATUSES)),
  ...pageEntries,
});

/** GET …/refunds */
export const refundsQuery = v.object({
  status: v.optional(oneOf([...new Set(Object.values(WIRE_REFUND_STATUSES))])),
  paymentIntentUniqueId: v.optional(uniqueIdField),
  ...pageEntries,
});

/** The body of POST …/events/resend. */
export const resendBody = bodyRecord({ since: timeField, cursor: optional(cursorField) });

/** The errors of a range that contains nothing, on its end. */
export function rangeErrors(
  name: 'created' | 'ended',
  fromMs: number | undefined,
  toMs: number | undefined,
): FieldErrors {
  return fromMs !== undefined && toMs !== undefined && fromMs >= toMs
    ? { [`${name}To`]: fieldError('mismatch', `Must be later than ${name}From.`) }
    : {};
}
