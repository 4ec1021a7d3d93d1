import { type ConversionConfig, toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';

/** The part of JSON Schema 2020-12 that the document uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly title?: string;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly const?: string | number | boolean | null;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly maxProperties?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly contentMediaType?: string;
  readonly contentSchema?: JsonSchema;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
}

/** The JSON Schema of a valibot schema. Actions say in their metadata what it can express of them. */
export function converted(
  schema: v.GenericSchema,
  { overrideAction, overrideSchema }: Required<Pick<ConversionConfig, Overrides>>,
): JsonSchema {
  const { $schema: _draft, ...jsonSchema } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    errorMode: 'ignore',
    overrideAction,
    overrideSchema,
  });
  return jsonSchema as JsonSchema;
}

type Overrides = 'overrideAction' | 'overrideSchema';

/** The schema's values, or null. */
export function nullable(schema: JsonSchema): JsonSchema {
  const { description, ...rest } = schema;
  if (typeof rest.type === 'string') {
    const { enum: values } = rest;
    return {
      ...schema,
      type: [rest.type, 'null'],
      ...(values === undefined ? {} : { enum: [...values, null] }),
    };
  }
  const anyOf = [...(rest.anyOf ?? [rest]), { type: 'null' }];
  return description === undefined ? { anyOf } : { description, anyOf };
}

/**
 * One of these texts, or one that is added later. The second choice makes validators and generated
 * types accept a new text; an extension such as `x-extensible-enum` does neither, because they do
 * not know it.
 */
export function openEnum(values: readonly string[], description?: string): JsonSchema {
  const anyOf = [{ type: 'string', enum: values }, { type: 'string' }];
  return description === undefined ? { anyOf } : { description, anyOf };
}

/** A schema under `components`, by its name there. */
export function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The published interface has these integers in 32 bits, and all others in 64. */
const INT32_NAMES: ReadonlySet<string> = new Set(['status', 'quantity']);

/** The document with the width of each integer, which generators take for 32 bits without one. */
export function withIntegerFormats<Document>(document: Document): Document {
  return JSON.parse(JSON.stringify(document), (name, value) =>
    [value?.type].flat().includes('integer')
      ? { ...value, format: INT32_NAMES.has(name) ? 'int32' : 'int64' }
      : value,
  );
}

/** A value out of the schema's examples; undefined where a required field has none. */
export function sampleOf(schema: JsonSchema): unknown {
  const { examples, properties, items, required = [] } = schema;
  if (examples !== undefined) {
    return examples[0];
  }
  const choices = (schema.anyOf ?? []).map(sampleOf).filter((choice) => choice !== undefined);
  if (properties === undefined) {
    const item = items && sampleOf(items);
    return item === undefined ? choices[0] : [item];
  }
  const fields = Object.entries(properties)
    .map(([name, field]) => [name, sampleOf(field)] as const)
    .filter(([, value]) => value !== undefined);
  const isWhole = required.every((name) => fields.some(([known]) => known === name));
  return isWhole && fields.length > 0 ? Object.fromEntries(fields) : undefined;
}
