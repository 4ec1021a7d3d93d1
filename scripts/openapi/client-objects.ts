import type { JsonSchema } from './json-schema.ts';
import type { OpenApi } from './reference.ts';

/** The objects of the API, for the clients that have their types in one file: PHP and Python. */

/** An object by name. An object inside of it is another one, and its member has its name. */
export interface ClientObject {
  readonly name: string;
  readonly description: string | null;
  /** Whether the client sends it. */
  readonly isSent: boolean;
  /** Whether the client checks the names of its members: a misspelled one would get lost. */
  readonly isChecked: boolean;
  readonly members: readonly Member[];
}

export interface Member {
  readonly name: string;
  readonly isRequired: boolean;
  readonly type: ClientType;
}

export type ClientType =
  | { readonly kind: 'object'; readonly name: string }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'list'; readonly item: ClientType }
  | { readonly kind: 'map'; readonly value: ClientType }
  | { readonly kind: 'nullable'; readonly type: ClientType }
  | { readonly kind: 'text' | 'integer' | 'number' | 'boolean' | 'time' };

/** Clients throw errors instead of the first two, and take or return the others as values. */
const LEFT_OUT = new Set([
  'Error',
  'ErrorCode',
  'ResendEventsRequest',
  'NewWebhookSecret',
  'Webhook',
]);

/** The lists with filters, and the name of an object with the filters of each. */
const FILTERS: Readonly<Record<string, string>> = {
  '/intents': 'PaymentFilter',
  '/refunds': 'RefundFilter',
  '/events': 'EventFilter',
  '/links': 'PaymentLinkFilter',
};

/** What the client adds to the answer of a call that creates something. */
const CREATED: Readonly<Record<string, string>> = {
  ExpressPayment: 'ExpressResult',
  CreatedRefund: 'Refund',
  CreatedWebhookEndpoint: 'WebhookEndpointWithSecret',
  CreatedPaymentLink: 'PaymentLink',
};

/** The rows of each list. */
const PAGES: Readonly<Record<string, string>> = {
  PaymentPage: 'PaymentSummary',
  RefundPage: 'RefundSummary',
  EventPage: 'Event',
  PaymentLinkPage: 'PaymentLink',
};

/** The objects of requests and answers, those in other objects first. */
export function clientObjects({ components, paths }: OpenApi): readonly ClientObject[] {
  const schemas = Object.entries(components.schemas).filter(([name]) => !LEFT_OUT.has(name));
  const inner = innerNames(schemas);
  const objects = new Map<string, ClientObject>();
  for (const [name, schema] of schemas) {
    addObject(objects, inner, name, schema, isRequest(name));
  }
  return [
    ...objects.values(),
    ...Object.entries(CREATED).map(([name, of]) => createdOf(name, objects.get(of)?.members ?? [])),
    ...Object.entries(PAGES).map(([name, row]) => answer(name, pageOf(row))),
    ...Object.entries(FILTERS).map(([path, name]) =>
      filterOf(name, paths[path]?.get?.parameters ?? []),
    ),
  ];
}

function createdOf(name: string, members: readonly Member[]): ClientObject {
  return answer(name, [
    ...members,
    required('isReplayed', { kind: 'boolean' }),
    required('warnings', { kind: 'list', item: { kind: 'text' } }),
  ]);
}

function pageOf(row: string): readonly Member[] {
  return [
    required('data', { kind: 'list', item: { kind: 'object', name: row } }),
    required('hasMore', { kind: 'boolean' }),
    required('nextCursor', { kind: 'nullable', type: { kind: 'text' } }),
  ];
}

function required(name: string, type: ClientType): Member {
  return { name, isRequired: true, type };
}

function answer(name: string, members: readonly Member[]): ClientObject {
  return { name, description: null, isSent: false, isChecked: false, members };
}

function isRequest(name: string): boolean {
  return /^New|Request$|Changes$/.test(name);
}

function addObject(
  objects: Map<string, ClientObject>,
  inner: ReadonlyMap<JsonSchema, string>,
  name: string,
  schema: JsonSchema,
  isSent: boolean,
  isInner = false,
): void {
  const { properties = {}, required = [], description = null } = schema;
  const members = Object.entries(properties).map(([member, value]) => {
    const innerObject = innerObjectOf(value);
    const innerName = innerObject && inner.get(innerObject);
    if (innerObject && innerName) {
      addObject(objects, inner, innerName, innerObject, isSent, true);
    }
    return {
      name: member,
      isRequired: required.includes(member),
      type: typeOf(value, innerName ?? null),
    };
  });
  objects.set(name, { name, description, isSent, isChecked: !isInner && isRequest(name), members });
}

/** An optional filter may be null: the first page has no cursor. */
function filterOf(
  name: string,
  parameters: readonly { readonly name: string; readonly schema: JsonSchema }[],
): ClientObject {
  const members = parameters.map((parameter) => ({
    name: parameter.name,
    isRequired: false,
    type: { kind: 'nullable' as const, type: filterTypeOf(parameter.schema) },
  }));
  return { name, description: null, isSent: true, isChecked: true, members };
}

/** Times and booleans, which an address has as texts, are values of the language. */
function filterTypeOf(schema: JsonSchema): ClientType {
  if (schema.format === 'date-time') {
    return { kind: 'time' };
  }
  const isBoolean = schema.enum?.join() === 'true,false';
  return isBoolean ? { kind: 'boolean' } : typeOf(schema, null);
}

/** The object that a member is, or that its list has. */
function innerObjectOf(schema: JsonSchema): JsonSchema | null {
  if (schema.properties !== undefined) {
    return schema;
  }
  return schema.items === undefined ? null : innerObjectOf(schema.items);
}

/**
 * The names of the objects in others: that of the member, as `Transaction`. Objects that differ have
 * that of the outer object too, as `ExpressPaymentRequestCustomerInfo`.
 */
function innerNames(
  schemas: readonly (readonly [string, JsonSchema])[],
): ReadonlyMap<JsonSchema, string> {
  const found = schemas.flatMap(([outer, { properties = {} }]) =>
    Object.entries(properties).flatMap(([member, value]) => {
      const schema = innerObjectOf(value);
      return schema === null ? [] : [{ outer, member: singular(member), schema }];
    }),
  );
  // Released names stay although links, which came later, have other objects of the same name.
  const isLater = (outer: string) => outer.includes('PaymentLink');
  const kinds = Map.groupBy(
    found.filter(({ outer }) => !isLater(outer)),
    ({ member }) => member,
  );
  return new Map(
    found.map(({ outer, member, schema }) => {
      const forms = new Set(kinds.get(member)?.map((it) => formOf(it.schema)));
      const isShared = forms.size === 1 && forms.has(formOf(schema));
      return [schema, isShared ? member : outer + member];
    }),
  );
}

/** What makes two objects the same type. */
function formOf({ properties = {}, required = [] }: JsonSchema): string {
  const members = Object.entries(properties).map(([name, schema]) => [
    name,
    required.includes(name),
    typeOf(schema, 'inner'),
  ]);
  return JSON.stringify(members);
}

/** `Delivery` for the member `deliveries`. */
function singular(member: string): string {
  const word = member.replace(/ies$/, 'y').replace(/(?<=ction|tem)s$/, '');
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function typeOf(schema: JsonSchema, innerName: string | null): ClientType {
  const { $ref, anyOf, type } = schema;
  if ($ref !== undefined) {
    return { kind: 'object', name: $ref.slice($ref.lastIndexOf('/') + 1) };
  }
  if (anyOf !== undefined) {
    return unionOf(anyOf, innerName);
  }
  const types = [type ?? []].flat();
  const single = types.find((name) => name !== 'null') ?? 'null';
  const found = singleType(single, schema, innerName);
  return types.includes('null') ? { kind: 'nullable', type: found } : found;
}

/** One of the schemas, or null. Beside known texts that may become more, any text is valid. */
function unionOf(schemas: readonly JsonSchema[], innerName: string | null): ClientType {
  const others = schemas.filter((schema) => schema.type !== 'null');
  const open = others.find((schema) => schema.type === 'string' && schema.enum === undefined);
  const [only] = others;
  if (only === undefined || (others.length > 1 && open === undefined)) {
    throw new Error(`no type for ${JSON.stringify(schemas)}`);
  }
  const type = typeOf(open ?? only, innerName);
  return others.length < schemas.length ? { kind: 'nullable', type } : type;
}

function singleType(name: string, schema: JsonSchema, innerName: string | null): ClientType {
  const constants = schema.const === undefined ? schema.enum : [schema.const];
  const texts = constants?.filter((value) => typeof value === 'string') ?? [];
  if (texts.length > 0) {
    return { kind: 'choice', values: texts };
  }
  if (name === 'object' && innerName !== null && schema.properties !== undefined) {
    return { kind: 'object', name: innerName };
  }
  return plainType(name, schema, innerName);
}

function plainType(name: string, schema: JsonSchema, innerName: string | null): ClientType {
  switch (name) {
    case 'string':
      return { kind: 'text' };
    case 'integer':
    case 'number':
    case 'boolean':
      return { kind: name };
    case 'array':
      return { kind: 'list', item: typeOf(schema.items ?? {}, innerName) };
    case 'object':
      if (typeof schema.additionalProperties === 'object') {
        return { kind: 'map', value: typeOf(schema.additionalProperties, null) };
      }
  }
  if (typeof schema.const === 'boolean') {
    return { kind: 'boolean' };
  }
  throw new Error(`no type for ${JSON.stringify(schema)}`);
}
