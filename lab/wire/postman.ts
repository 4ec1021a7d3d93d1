import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Requests of a Postman collection, sent as Postman sends them: only the key is typed in. */
export interface PostmanShop {
  /** The `content` of the answer to the request of this name. Throws without one. */
  content(name: string): Promise<unknown>;
}

interface Named {
  readonly key: string;
  readonly value: string;
  readonly disabled?: boolean;
}

interface Item {
  readonly name: string;
  readonly item?: readonly Item[];
  readonly request?: {
    readonly method: string;
    readonly url: {
      readonly host: readonly string[];
      readonly path: readonly string[];
      readonly variable: readonly Named[];
    };
    readonly header: readonly Named[];
    readonly body?: { readonly raw?: string };
  };
}

interface Collection extends Pick<Item, 'item'> {
  readonly variable: readonly Named[];
  readonly auth: { readonly apikey: readonly Named[] };
}

type Converted =
  | { readonly result: true; readonly output: readonly [{ readonly data: Collection }] }
  | { readonly result: false; readonly reason: string };

/** What docs/clients.md#postman tells merchants to choose. */
const OPTIONS = {
  parametersResolution: 'Example',
  requestParametersResolution: 'Example',
  enableOptionalParameters: false,
  folderStrategy: 'Tags',
};

/** The shop that Postman's own converter makes. `directory`: where it is installed. */
export async function postmanShop(
  directory: string,
  document: string,
  apiKey: string,
): Promise<PostmanShop> {
  const { convertV2 } = createRequire(join(directory, 'package.json'))('openapi-to-postmanv2');
  const { promise, resolve, reject } = Promise.withResolvers<Converted>();
  const finish = (error: unknown, result: Converted) => (error ? reject(error) : resolve(result));
  convertV2({ type: 'string', data: document }, OPTIONS, finish);
  const converted = await promise;
  if (!converted.result) {
    throw new Error(`no collection: ${converted.reason}`);
  }
  const [{ data: collection }] = converted.output;
  return { content: (name) => sent(collection, name, apiKey) };
}

async function sent(collection: Collection, name: string, apiKey: string): Promise<unknown> {
  const request = [...itemsOf(collection)].find((item) => item.name === name)?.request;
  if (request === undefined) {
    throw new Error(`the collection has no request "${name}"`);
  }
  const { method, url, header, body } = request;
  const variables = valuesOf([...collection.variable, { key: 'apiKey', value: apiKey }]);
  const path = url.path.map((part) => valuesOf(url.variable)[part.replace(':', '')] ?? part);
  const auth = valuesOf(collection.auth.apikey);
  const response = await fetch(filled([...url.host, ...path].join('/'), variables), {
    method,
    headers: {
      ...valuesOf(header),
      [auth.key ?? '']: filled(auth.value ?? '', variables),
    },
    ...(body?.raw === undefined ? {} : { body: body.raw }),
  });
  const text = await response.text();
  if (!response.ok) {
    throw new Error(`${name}: ${response.status} ${text}`);
  }
  return JSON.parse(text).content;
}

function* itemsOf({ item = [] }: Pick<Item, 'item'>): Generator<Item> {
  for (const one of item) {
    yield one;
    yield* itemsOf(one);
  }
}

function valuesOf(named: readonly Named[]): Readonly<Record<string, string>> {
  const enabled = named.filter(({ disabled }) => disabled !== true);
  return Object.fromEntries(enabled.map(({ key, value }) => [key, value]));
}

/** The text with the values of its `{{variables}}`, which may hold others. */
function filled(text: string, variables: Readonly<Record<string, string>>): string {
  const next = text.replaceAll(/\{\{(\w+)\}\}/g, (_all, key) => variables[key] ?? '');
  return next === text ? text : filled(next, variables);
}
