import type * as v from 'valibot';
import type { ValidationContext } from '../../src/engine/api/schema/context.ts';
import { expressSchema } from '../../src/engine/api/schema/express.ts';
import { hostedSchema } from '../../src/engine/api/schema/hosted.ts';
import { refundSchema } from '../../src/engine/api/schema/refund.ts';
import { METHODS } from '../../src/engine/domain/method.ts';
import type { Environment } from '../../src/kit/tenant.ts';
import {
  eventsQuery,
  linksQuery,
  paymentsQuery,
  refundsQuery,
  resendBody,
} from '../../src/lists/api/schema/list.ts';
import {
  endpointChangesSchema,
  newEndpointSchema,
  newSecretSchema,
} from '../../src/lists/api/schema/webhook-endpoint.ts';
import { linkChangesSchema, newLinkSchema } from '../../src/lists/links/schema.ts';
import {
  ENDPOINT_NOTES,
  EVENTS_QUERY_NOTES,
  EXPRESS_NOTES,
  HOSTED_NOTES,
  LINK_NOTES,
  LINKS_QUERY_NOTES,
  type Notes,
  PAYMENTS_QUERY_NOTES,
  REFUND_NOTES,
  REFUNDS_QUERY_NOTES,
  RESEND_NOTES,
} from './field-notes.ts';
import { converted, type JsonSchema, nullable } from './json-schema.ts';

/** The bounds of wrangler.toml, as they are deployed. */
const EXPIRE_IN_SECONDS = { min: 5, max: 31_622_400 };

/** What validation knows of a merchant; the document describes one who may use everything. */
function contextOf(environment: Environment): ValidationContext {
  return {
    environment,
    methods: METHODS.map((method) => ({
      method,
      rate: { basisPoints: 0, fixedMinor: 0 },
      rules: { currencies: [] },
    })),
    callbackUse: () => 'sends',
    switchedOff: [],
    limits: {},
    appSchemes: [],
    banks: new Map(),
    expireInSecondsMin: EXPIRE_IN_SECONDS.min,
    expireInSecondsMax: EXPIRE_IN_SECONDS.max,
  };
}

/** The bodies of all calls, by their name under `components`. */
export function requestComponents(): Readonly<Record<string, JsonSchema>> {
  return {
    HostedPaymentRequest: described(
      jsonSchemaOf(hostedSchema(contextOf('production'))),
      HOSTED_NOTES,
    ),
    ExpressPaymentRequest: expressRequest(),
    RefundRequest: described(jsonSchemaOf(refundSchema), REFUND_NOTES),
    NewWebhookEndpoint: described(jsonSchemaOf(newEndpointSchema), ENDPOINT_NOTES),
    WebhookEndpointChanges: described(jsonSchemaOf(endpointChangesSchema), {
      ...ENDPOINT_NOTES,
      paused: 'Only `false`, which resumes the endpoint',
    }),
    NewWebhookSecret: described(jsonSchemaOf(newSecretSchema), {
      overlapHours: ['For how long the old secrets sign too', 24],
    }),
    NewPaymentLink: described(jsonSchemaOf(newLinkSchema(contextOf('production'))), {
      paymentLinkUniqueId: ['Your id of the link; absent: Kefel makes one', 'link-honey'],
      ...LINK_NOTES,
    }),
    PaymentLinkChanges: described(
      jsonSchemaOf(linkChangesSchema(contextOf('production'))),
      LINK_NOTES,
    ),
    ResendEventsRequest: described(jsonSchemaOf(resendBody), RESEND_NOTES),
  };
}

/** A parameter in a query. */
export interface QueryParameter {
  readonly name: string;
  readonly in: 'query';
  readonly required: false;
  readonly description: string;
  readonly schema: JsonSchema;
  /** For an object: `metadata[KEY]=VALUE`. */
  readonly style?: 'deepObject';
  readonly explode?: true;
}

const QUERIES = {
  payments: { schema: paymentsQuery, notes: PAYMENTS_QUERY_NOTES },
  refunds: { schema: refundsQuery, notes: REFUNDS_QUERY_NOTES },
  events: { schema: eventsQuery, notes: EVENTS_QUERY_NOTES },
  links: { schema: linksQuery, notes: LINKS_QUERY_NOTES },
};

/** The parameters of a list, from the schema that validates them. */
export function queryParameters(list: keyof typeof QUERIES): readonly QueryParameter[] {
  const schema = described(jsonSchemaOf(QUERIES[list].schema), QUERIES[list].notes);
  return Object.entries(schema.properties ?? {}).map(([name, { description, ...rest }]) => ({
    name,
    in: 'query',
    required: false,
    description: description ?? '',
    schema: rest.type === 'integer' ? { ...rest, default: Number(rest.default) } : rest,
    ...(rest.type === 'object' ? { style: 'deepObject', explode: true } : {}),
  }));
}

/** The sandbox requires `testMode`, and production ignores it: one type serves both. */
function expressRequest(): JsonSchema {
  const { required = [], ...schema } = jsonSchemaOf(expressSchema(contextOf('sandbox')));
  return described(
    { ...schema, required: required.filter((name) => name !== 'testMode') },
    EXPRESS_NOTES,
  );
}

/** The schema of what callers send, from the schema that validates it. */
function jsonSchemaOf(schema: v.GenericSchema): JsonSchema {
  return converted(schema, {
    overrideAction: ({ valibotAction, jsonSchema }) =>
      'metadata' in valibotAction ? { ...jsonSchema, ...(valibotAction.metadata as object) } : null,
    overrideSchema: ({ valibotSchema }) => {
      const wrapped = () =>
        jsonSchemaOf((valibotSchema as unknown as { readonly wrapped: v.GenericSchema }).wrapped);
      switch (valibotSchema.type) {
        case 'nullish':
          return { ...nullable(wrapped()) } as object;
        // `optional` of src/engine/api/schema/fields.ts, which takes an empty text as absent.
        case 'nullable':
          return { ...nullable(orEmpty(wrapped())) } as object;
        default:
          return null;
      }
    },
  });
}

function orEmpty({ minLength: _ignored, ...schema }: JsonSchema): JsonSchema {
  const { pattern } = schema;
  return pattern === undefined ? schema : { ...schema, pattern: `^$|${pattern}` };
}

/**
 * The schema with a description, and an example if there is one, for every property at every depth.
 * Throws for a property without a note and for a note without a property, so that neither is
 * forgotten.
 */
function described(schema: JsonSchema, notes: Notes): JsonSchema {
  const used = new Set<string>();
  const result = withNotes(schema, '', notes, used);
  const unused = Object.keys(notes).filter((path) => !used.has(path));
  if (unused.length > 0) {
    throw new Error(`Notes about fields that do not exist: ${unused.join(', ')}`);
  }
  return result;
}

function withNotes(schema: JsonSchema, path: string, notes: Notes, used: Set<string>): JsonSchema {
  if (schema.items !== undefined) {
    return { ...schema, items: withNotes(schema.items, `${path}[]`, notes, used) };
  }
  if (schema.properties === undefined) {
    return schema;
  }
  const properties = Object.entries(schema.properties).map(([name, property]) => {
    const propertyPath = path === '' ? name : `${path}.${name}`;
    const note = notes[propertyPath];
    if (note === undefined) {
      throw new Error(`${propertyPath} has no note in scripts/openapi/field-notes.ts`);
    }
    used.add(propertyPath);
    const [text, example] = [note].flat();
    return [
      name,
      {
        ...withNotes(property, propertyPath, notes, used),
        description: text,
        ...(example === undefined ? {} : { examples: [example] }),
      },
    ];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}
