import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonSchema } from '../../scripts/openapi/json-schema.ts';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';

/** The published document, by which a test judges requests and answers. */

interface Operation {
  readonly 'x-aliases'?: readonly string[];
  readonly requestBody?: { readonly content: Content };
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: JsonSchema;
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

interface OpenApi {
  readonly servers: readonly [
    {
      readonly url: string;
      readonly variables: { readonly environment: { enum: readonly string[] } };
    },
  ];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

const JSON_TYPE = 'application/json';
const FILE = join(PROJECT_DIRECTORY, 'public', 'openapi.json');

export class ApiDocument {
  readonly #document: OpenApi = JSON.parse(readFileSync(FILE, 'utf8'));
  readonly #ajv = new Ajv2020({ allErrors: true, strict: false });
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #operations = new Map<string, Operation>();
  /** Every call in each environment: `POST /api/v1/payment/sandbox/intent`. */
  readonly calls: readonly string[];

  constructor() {
    addFormats.default(this.#ajv);
    const [{ url, variables }] = this.#document.servers;
    const calls: string[] = [];
    for (const environment of variables.environment.enum) {
      for (const [path, methods] of Object.entries(this.#document.paths)) {
        for (const [method, operation] of Object.entries(methods)) {
          const [call = '', ...aliases] = [url + path, ...(operation['x-aliases'] ?? [])].map(
            (template) =>
              `${method.toUpperCase()} ${template.replace('{environment}', environment)}`,
          );
          calls.push(call);
          for (const spelling of [call, ...aliases]) {
            this.#operations.set(spelling, operation);
          }
        }
      }
    }
    this.calls = calls;
  }

  /** The same calls, and their other spellings. */
  get spellings(): readonly string[] {
    return [...this.#operations.keys()];
  }

  /** Whether the answer is a stream of events. */
  isStream(call: string): boolean {
    return this.#operation(call).responses[200]?.content?.['text/event-stream'] !== undefined;
  }

  /** The parameters of the query as one object, none of them required. */
  querySchema(call: string): JsonSchema {
    const parameters = (this.#operation(call).parameters ?? []).filter((it) => it.in === 'query');
    const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
    return { type: 'object', properties };
  }

  requestSchema(call: string): JsonSchema {
    const schema = this.bodySchema(call);
    if (schema === null) {
      throw new Error(`${call} has no body`);
    }
    return schema;
  }

  /** The same, or null for a call without a body. */
  bodySchema(call: string): JsonSchema | null {
    const schema = this.#operation(call).requestBody?.content[JSON_TYPE]?.schema;
    return schema === undefined ? null : this.resolve(schema);
  }

  /** The schema itself, or the one that it refers to. */
  resolve(schema: JsonSchema): JsonSchema {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : (this.#document.components.schemas[name] ?? schema);
  }

  /** Why the document forbids this body; empty if it allows it. */
  requestFaults(call: string, body: unknown): readonly string[] {
    return this.#faults(`${call} request`, this.requestSchema(call), body);
  }

  /**
   * How an answer differs from the document; empty if it agrees. An answer may have no property
   * that the document does not name, although readers must ignore such.
   */
  answerFaults(call: string, status: number, body: unknown): readonly string[] {
    const schema = this.#operation(call).responses[status]?.content?.[JSON_TYPE]?.schema;
    return schema === undefined
      ? [`${call} documents no ${status}`]
      : this.#faults(`${call} ${status}`, this.#closed(schema), body);
  }

  /** How the body of any error differs from the document's form of errors. */
  errorFaults(body: unknown): readonly string[] {
    return this.#faults('error', this.#closed({ $ref: '#/components/schemas/Error' }), body);
  }

  #operation(call: string): Operation {
    const operation = this.#operations.get(call);
    if (operation === undefined) {
      throw new Error(`The document has no ${call}`);
    }
    return operation;
  }

  #faults(name: string, schema: JsonSchema, value: unknown): readonly string[] {
    let validate = this.#validators.get(name);
    if (validate === undefined) {
      validate = this.#ajv.compile(schema);
      this.#validators.set(name, validate);
    }
    return validate(value)
      ? []
      : (validate.errors ?? []).map(
          ({ instancePath, message, params }) =>
            `${name}: ${instancePath} ${message} ${JSON.stringify(params)}`,
        );
  }

  /**
   * The schema with references replaced, whose objects allow no other properties, and whose texts no
   * other values than those known today.
   */
  #closed(schema: JsonSchema): JsonSchema {
    const { $ref, ...rest } = schema;
    if ($ref !== undefined) {
      return this.#closed(this.resolve(schema));
    }
    const closeAll = (schemas: readonly JsonSchema[]) => schemas.map((it) => this.#closed(it));
    return {
      ...rest,
      ...(rest.items && { items: this.#closed(rest.items) }),
      ...(rest.anyOf && { anyOf: closeAll(knownOnly(rest.anyOf)) }),
      ...(rest.properties && {
        properties: Object.fromEntries(
          Object.entries(rest.properties).map(([name, it]) => [name, this.#closed(it)]),
        ),
        additionalProperties: rest.additionalProperties ?? false,
      }),
      ...(rest.contentSchema && { contentSchema: true as unknown as JsonSchema }),
    };
  }
}

/** The choices without the any text of `openEnum` in `scripts/openapi/json-schema.ts`. */
function knownOnly(choices: readonly JsonSchema[]): readonly JsonSchema[] {
  const isOpen = choices.some((choice) => choice.enum !== undefined);
  return choices.filter((it) => !isOpen || it.type !== 'string' || it.enum !== undefined);
}
