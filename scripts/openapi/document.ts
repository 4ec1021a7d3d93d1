import { SEGMENTS, template } from '../../src/engine/api/operation.ts';
import { ID_CHARACTERS_MAX } from '../../src/engine/domain/identifiers.ts';
import type { WireEvent } from '../../src/engine/webhooks/endpoints.ts';
import { FIELD_ERROR_CODES } from '../../src/kit/http/field-error.ts';
import { PROBLEMS, type ProblemCode } from '../../src/kit/http/problems.ts';
import samples from './answer-samples.json' with { type: 'json' };
import { COMPONENTS, WARNINGS } from './answers.ts';
import {
  type JsonSchema,
  openEnum,
  reference,
  sampleOf,
  withIntegerFormats,
} from './json-schema.ts';
import {
  DOCUMENTED,
  type DocumentedOperation,
  PROBLEMS_OF_EVERY_CALL,
  PROBLEMS_OF_KEYS,
  type Tag,
} from './operations.ts';
import { requestComponents } from './requests.ts';
import { amountsTable, webhookFaultsTable } from './sandbox-tables.ts';

const REQUESTS = requestComponents();

/** The API as an OpenAPI 3.1 document. `version`: of the package. */
export function openApiDocument(version: string) {
  return withIntegerFormats({
    openapi: '3.1.1',
    info: {
      title: 'Kefel',
      version,
      summary: 'Payments in Ethiopia by telebirr, CBE Birr, EthSwitch, M-PESA and eBirr',
      description:
        'Payments are created in major units (`150.50`); answers, webhooks and everything about refunds are in integer minor units (`15050`). In optional fields of a new payment, `null` counts as absent, and so does an empty string, but an empty URL is an error. In other requests, a field says if it may be `null`. Ignore properties of answers that you do not know: more may come. So may values where a list of values ends with any string; the other lists are complete.',
      // Where the gateway that serves this document explains itself.
      contact: { name: 'Kefel', url: '/docs' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [SERVER],
    security: [{ apiKey: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: paths(),
    webhooks: webhooks(),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'apiKey',
          description: '`kfl_test_…` in the sandbox, `kfl_live_…` in production',
        },
      },
      headers: HEADERS,
      schemas: {
        ...REQUESTS,
        ...COMPONENTS,
        Error: errorSchema(),
        ErrorCode: ERROR_CODE,
      },
    },
  });
}

/** By default the sandbox: a client that forgets to choose must not move money. */
const SERVER = {
  url: template(''),
  description:
    'The gateway that serves this document. `environment`: `/sandbox`, where no money moves, or nothing for production',
  variables: {
    environment: { enum: Object.values(SEGMENTS), default: SEGMENTS.sandbox },
  },
};

/** What `docs/sandbox.md` explains. */
const SANDBOX = `Amounts with a fixed outcome, without commission and in either currency:

${amountsTable()}

Faults of webhook delivery, ordered in \`metadata\`:

${webhookFaultsTable()}`;

const TAGS: Readonly<Record<Tag, string>> = {
  Payments: 'Create payments, read and cancel them.',
  Refunds: 'Return money to customers.',
  Events: 'What webhooks said, or should have.',
  'Webhook endpoints': 'Where events are sent.',
  'Payment links': 'Pages at which any number of customers pay.',
  'Reference data': 'What requests can name.',
  Sandbox: `No money moves in the sandbox. ${SANDBOX}`,
};

const HEADERS = {
  'ratelimit-policy': {
    description: 'The limits of calls with a key: `"key";q=1000;w=10` is 1,000 requests in 10 s',
    schema: { type: 'string' },
  },
  'x-request-id': {
    description: 'Names the request; give it to support',
    schema: { type: 'string' },
  },
  'retry-after': {
    description: 'Seconds to wait before the next try',
    schema: { type: 'integer', minimum: 0 },
  },
  'idempotent-replayed': {
    description: '`true` when this is the stored answer of an earlier request',
    schema: { type: 'string', const: 'true' },
  },
} as const;

const ERROR_CODE = openEnum(
  Object.keys(PROBLEMS),
  'Which error it is. New codes may come: treat one that you do not know by `status`.',
);

function errorSchema(): JsonSchema {
  const always: JsonSchema['properties'] = {
    status: { type: 'integer', description: 'The HTTP status' },
    message: { type: 'string', description: 'A sentence for people' },
    code: { ...reference('ErrorCode'), description: 'Which error it is; compare this one' },
    requestId: { type: 'string', description: 'As in `x-request-id`' },
    docs: { type: 'string', format: 'uri', description: "The error's documentation" },
  };
  return {
    type: 'object',
    description: 'The envelope of every answer that is not success',
    properties: {
      ...always,
      validationErrors: {
        type: 'object',
        description:
          "One message for each field that broke a rule, by the field's path: `items[0].price`",
        additionalProperties: { type: 'string' },
      },
      validationErrorCodes: {
        type: 'object',
        description: 'The code of each field in `validationErrors`',
        additionalProperties: openEnum(FIELD_ERROR_CODES),
      },
      warnings: WARNINGS,
      payment: {
        ...reference('Payment'),
        description:
          'Only of `duplicate_payment_id`, for a key that may read payments: the payment that exists',
      },
    },
    required: Object.keys(always),
  };
}

function paths() {
  const byPath: Record<string, Record<string, ReturnType<typeof entry>>> = {};
  for (const operation of DOCUMENTED) {
    byPath[operation.path] = { ...byPath[operation.path], [operation.method]: entry(operation) };
  }
  return byPath;
}

function entry(operation: DocumentedOperation) {
  const { id, tag, summary, description, needsKey, request, aliases } = operation;
  const parameters = parametersOf(operation);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    // Other paths to the same answer: a second operation would be a second function in every client.
    ...(aliases.length === 0 ? {} : { 'x-aliases': aliases }),
    ...(needsKey ? {} : { security: [] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(request === undefined
      ? {}
      : {
          requestBody: {
            required: operation.isBodyOptional !== true,
            content: { 'application/json': bodyOf(request) },
          },
        }),
    responses: responsesOf(operation),
  };
}

/** Together the examples make a walk: two payments, and a refund of one. */
function bodyOf(name: string) {
  const example = sampleOf(REQUESTS[name] ?? {});
  return { schema: reference(name), ...(example === undefined ? {} : { example }) };
}

function isIdempotent({ problems = [] }: DocumentedOperation): boolean {
  return problems.includes('idempotency_key_reused');
}

function parametersOf(operation: DocumentedOperation) {
  const { idText, idExample, query = [], headers = [] } = operation;
  const id = {
    name: 'id',
    in: 'path',
    required: true,
    description: idText,
    ...(idExample === undefined ? {} : { example: idExample }),
  };
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'With the same key a repeat gets the first answer again',
  };
  return [
    ...(idText === undefined
      ? []
      : [{ ...id, schema: { type: 'string', maxLength: ID_CHARACTERS_MAX } }]),
    ...(isIdempotent(operation)
      ? [{ ...key, schema: { type: 'string', pattern: '^[!-~]([ -~]{0,253}[!-~])?$' } }]
      : []),
    ...query,
    ...headers.map((header) => ({
      ...header,
      in: 'header',
      required: false,
      schema: { type: 'string' },
    })),
  ];
}

function responsesOf(operation: DocumentedOperation) {
  const everywhere = {
    'x-request-id': { $ref: '#/components/headers/x-request-id' },
    ...(operation.needsKey && {
      'ratelimit-policy': { $ref: '#/components/headers/ratelimit-policy' },
    }),
  };
  const problems = [
    ...(operation.problems ?? []),
    ...(operation.needsKey ? PROBLEMS_OF_KEYS : []),
    ...PROBLEMS_OF_EVERY_CALL,
  ];
  const statuses = [...new Set(problems.map((code) => PROBLEMS[code].status))].sort();
  return {
    200: {
      description: 'Done',
      headers: {
        ...everywhere,
        ...(isIdempotent(operation) && {
          'idempotent-replayed': { $ref: '#/components/headers/idempotent-replayed' },
        }),
      },
      content: {
        [operation.isStream ? 'text/event-stream' : 'application/json']: {
          schema: operation.answer,
          // What a gateway answered: `test/e2e/answer-samples.test.ts`.
          example: samples[operation.id],
        },
      },
    },
    ...Object.fromEntries(
      statuses.map((status) => [
        status,
        {
          description: descriptionOf(problems.filter((it) => PROBLEMS[it].status === status)),
          headers: {
            ...everywhere,
            ...(WITH_RETRY_AFTER.has(status)
              ? { 'retry-after': { $ref: '#/components/headers/retry-after' } }
              : {}),
          },
          content: { 'application/json': { schema: reference('Error') } },
        },
      ]),
    ),
  };
}

const WITH_RETRY_AFTER: ReadonlySet<number> = new Set([409, 429, 503]);

function descriptionOf(codes: readonly ProblemCode[]): string {
  return codes.map((code) => `\`${code}\``).join(', ');
}

const EVENTS: Readonly<Record<WireEvent, string>> = {
  PAYMENT_SUCCESS: 'The payment is paid',
  PAYMENT_FAILED: 'An express charge failed, the tenth attempt failed, or the customer left',
  PAYMENT_EXPIRED: '`expireIn` passed without payment',
  REFUND_REQUIRES_ACTION: 'The operator must return the money of a refund by hand',
  REFUND_SUCCESS: 'The money of a refund was returned',
  REFUND_FAILED: 'A refund failed; the money stays with you',
};

function webhooks() {
  return Object.fromEntries(
    Object.entries(EVENTS).map(([name, summary]) => [
      name,
      {
        post: {
          operationId: `on${name}`,
          summary,
          security: [],
          parameters: WEBHOOK_HEADERS,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: reference('Webhook') } },
          },
          responses: {
            '2XX': { description: 'Accepted. Kefel retries after any other answer.' },
            410: { description: 'Kefel never sends this event again' },
          },
        },
      },
    ]),
  );
}

const WEBHOOK_HEADERS = [
  ['webhook-id', 'Id of the event; the same on every try. Deduplicate by it.', '^evt_'],
  ['webhook-timestamp', 'Unix time of this try in seconds', '^\\d+$'],
  [
    'webhook-signature',
    'Standard Webhooks: HMAC-SHA256 over id, timestamp and raw body; one for each valid secret',
    '^v1,',
  ],
].map(([name, description, pattern]) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', pattern },
}));
