import * as v from 'valibot';
import {
  DESCRIPTION_CHARACTERS_MAX,
  WIRE_EVENT_TYPES,
} from '../../../engine/webhooks/endpoints.ts';
import { OVERLAP_HOURS_DEFAULT, OVERLAP_HOURS_MAX } from '../../../engine/webhooks/secret-rules.ts';
import {
  SIGNATURE_HEADER_CHARACTERS_MAX,
  type SignatureHeaderProblem,
  signatureHeaderProblem,
} from '../../../engine/webhooks/signature-header.ts';
import { fieldError } from '../../../kit/http/field-error.ts';
import {
  booleanField,
  listOf,
  mustBe,
  oneOf,
  shortText,
  stringField,
  tooLong,
  wholeNumber,
} from '../../../kit/http/fields.ts';
import { body } from '../../../kit/http/strict-body.ts';
import { callbackUrlField } from '../../../kit/http/url-fields.ts';
import { isPrintable } from '../../../kit/text.ts';

/** Room for one that names each type several times. */
const EVENT_TYPES_MAX = 20;

const eventTypesField = listOf(oneOf(WIRE_EVENT_TYPES), EVENT_TYPES_MAX);

const descriptionField = v.pipe(
  shortText(DESCRIPTION_CHARACTERS_MAX),
  v.check(isPrintable, fieldError('invalid_format', 'Must consist of printable characters.')),
);

const HEADER_PROBLEMS = {
  too_long: tooLong(SIGNATURE_HEADER_CHARACTERS_MAX),
  no_token: fieldError('invalid_format', 'Must be the name of a header: letters, digits, hyphens.'),
  reserved: fieldError('invalid_choice', 'This header already has a meaning. Choose another name.'),
} as const satisfies Record<SignatureHeaderProblem, string>;

const isNot = (problem: SignatureHeaderProblem) =>
  v.check((name: string) => signatureHeaderProblem(name) !== problem, HEADER_PROBLEMS[problem]);

const signatureHeaderField = v.pipe(
  stringField,
  isNot('too_long'),
  isNot('no_token'),
  isNot('reserved'),
  v.metadata({ minLength: 1, maxLength: SIGNATURE_HEADER_CHARACTERS_MAX }),
);

/** The body that creates an endpoint. */
export const newEndpointSchema = body({
  url: callbackUrlField,
  eventTypes: v.nullish(eventTypesField),
  description: v.nullish(descriptionField),
  enabled: v.nullish(booleanField),
  signatureHeader: v.nullish(signatureHeaderField),
});

/** The body that changes one: absent fields stay as they are. */
export const endpointChangesSchema = body({
  url: v.nullish(callbackUrlField),
  eventTypes: v.nullish(eventTypesField),
  description: v.nullish(descriptionField),
  enabled: v.nullish(booleanField),
  /** Null removes it. */
  signatureHeader: v.nullish(signatureHeaderField),
  /** An endpoint pauses by itself. */
  paused: v.nullish(v.literal(false, mustBe('false', 'invalid_choice'))),
});

export type EndpointChanges = v.InferOutput<typeof endpointChangesSchema>;

/** The body that rotates its secret. */
export const newSecretSchema = body({
  overlapHours: v.nullish(
    wholeNumber(0, OVERLAP_HOURS_MAX, ' of hours'),
    Number(OVERLAP_HOURS_DEFAULT),
  ),
});
