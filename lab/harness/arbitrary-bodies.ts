import fc from 'fast-check';
import type { JsonSchema } from '../../scripts/openapi/json-schema.ts';

/** Generators of request bodies out of their schema in the OpenAPI document. */

/** Generators for properties whose schema does not say enough, by path: `splitPayment[].bank`. */
export type Overrides = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** Long texts cost time and prove nothing that one of 1,000 characters does not. */
const LENGTH_MAX = 1_000;
const LIST_LENGTH_MAX = 3;

/** Bodies that the schema allows. */
export function validBodies(schema: JsonSchema, overrides: Overrides): fc.Arbitrary<unknown> {
  return valuesOf(schema, '', overrides);
}

/** Bodies in which any JSON value replaces one property at any depth, or which lack it. */
export function damagedBodies(schema: JsonSchema, overrides: Overrides): fc.Arbitrary<unknown> {
  const junk = fc.oneof(
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom('', ' ', -1, 0, 0.001, 1e21, 'x'.repeat(3_000), [], {}, [[]], '\u0000'),
  );
  return fc
    .tuple(validBodies(schema, overrides), fc.nat(), fc.option(junk, { nil: undefined }))
    .map(([body, choice, value]) => damaged(body, choice, value));
}

function valuesOf(schema: JsonSchema, path: string, overrides: Overrides): fc.Arbitrary<unknown> {
  const override = overrides[path];
  if (override !== undefined) {
    return override;
  }
  if (schema.enum !== undefined) {
    return fc.constantFrom(...schema.enum);
  }
  if (schema.anyOf !== undefined) {
    return fc.oneof(...schema.anyOf.map((choice) => valuesOf(choice, path, overrides)));
  }
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  return fc.oneof(...types.map((type) => valuesOfType(type, schema, path, overrides)));
}

function valuesOfType(
  type: string,
  schema: JsonSchema,
  path: string,
  overrides: Overrides,
): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1_000 });
    case 'number':
      // Two decimals, as money has.
      return fc.integer({ min: 1, max: 10_000_000 }).map((minor) => minor / 100);
    case 'string':
      return textsOf(schema);
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}, `${path}[]`, overrides), {
        minLength: schema.minItems ?? 0,
        maxLength: LIST_LENGTH_MAX,
      });
    case 'object':
      return objectsOf(schema, path, overrides);
    default:
      throw new Error(`${path} has the unexpected type ${type}`);
  }
}

function textsOf(schema: JsonSchema): fc.Arbitrary<string> {
  if (schema.pattern !== undefined) {
    return fc.stringMatching(new RegExp(schema.pattern));
  }
  return fc.string({
    unit: 'grapheme-composite',
    minLength: schema.minLength ?? 0,
    maxLength: Math.min(schema.maxLength ?? LENGTH_MAX, LENGTH_MAX),
    size: 'small',
  });
}

function objectsOf(schema: JsonSchema, path: string, overrides: Overrides): fc.Arbitrary<unknown> {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    name,
    valuesOf(property, path === '' ? name : `${path}.${name}`, overrides),
  ]);
  const model: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(properties);
  return typeof schema.additionalProperties === 'object'
    ? entriesOf(schema, schema.additionalProperties, path, overrides)
    : fc.record(model, { requiredKeys: [...(schema.required ?? [])] });
}

/** Objects with any keys that the schema allows, of a schema that names no property. */
function entriesOf(
  { propertyNames = {}, maxProperties }: JsonSchema,
  values: JsonSchema,
  path: string,
  overrides: Overrides,
): fc.Arbitrary<unknown> {
  const keys = textsOf(propertyNames).filter((key) => key !== '__proto__');
  const maxKeys = Math.min(maxProperties ?? LIST_LENGTH_MAX, LIST_LENGTH_MAX);
  return fc.dictionary(keys, valuesOf(values, `${path}.*`, overrides), { maxKeys });
}

/** `body` with the property number `choice`, counted at all depths, replaced or removed. */
function damaged(body: unknown, choice: number, value: unknown): unknown {
  const copy = structuredClone(body);
  const places = [...placesIn(copy)].filter(({ holder }) => !Array.isArray(holder));
  const place = places[choice % places.length];
  if (place === undefined) {
    return value ?? null;
  }
  if (value === undefined) {
    delete place.holder[place.key];
  } else {
    place.holder[place.key] = value;
  }
  return copy;
}

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** Every place of a JSON value that holds another one, at any depth. */
export function* placesIn(value: unknown): Generator<Place> {
  if (typeof value !== 'object' || value === null) {
    return;
  }
  const holder = value as Record<string, unknown>;
  for (const key of Object.keys(holder)) {
    yield { holder, key };
    yield* placesIn(holder[key]);
  }
}
