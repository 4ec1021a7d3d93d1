import type { JsonSchema } from './json-schema.ts';

/** The parts of the OpenAPI document that the page shows. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly 'x-aliases'?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

interface Response {
  readonly description: string;
  readonly content?: Content;
}

type Content = Readonly<
  Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>
>;

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';

const INTRODUCTION = `# API reference

Every call, field and error, generated from the OpenAPI document that the gateway serves at \`/openapi.json\`. [The merchants' API](api.md) explains the rules that hold for several calls.

Paths begin with \`/api/v1/payment/sandbox\` in the sandbox and with \`/api/v1/payment\` in production. Some calls have a second, published path; there \`{environment}\` is \`/sandbox\` or nothing.

Send your key in the header \`apiKey\`: \`kfl_test_…\` in the sandbox, \`kfl_live_…\` in production. Payments are created in major units (\`150.50\`); answers, webhooks and everything about refunds are in integer minor units (\`15050\`). In optional fields of a new payment, \`null\` counts as absent, and so does an empty string, but an empty URL is an error. In other requests, a field says if it may be \`null\`.`;

/** The reference as Markdown, so that the search and \`llms-full.txt\` have it too. */
export function referenceMarkdown(openApi: OpenApi): string {
  const calls = Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      call: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
  const schemas = Object.entries(openApi.components.schemas).filter(
    ([name, { properties }]) => properties !== undefined && !name.endsWith('Request'),
  );
  return `${[
    INTRODUCTION,
    '## Calls',
    table(
      ['Call', 'Path'],
      calls.map(({ call, operation: { summary } }) => [
        `[${summary}](#${summary.toLowerCase().replaceAll(' ', '-')})`,
        code(call),
      ]),
    ),
    ...calls.map(({ call, operation }) => callMarkdown(call, operation, openApi)),
    '## Objects',
    ...schemas.map(([name, schema]) => objectMarkdown(name, schema)),
  ].join('\n\n')}\n`;
}

function callMarkdown(call: string, operation: Operation, openApi: OpenApi): string {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  const aliases = operation['x-aliases'] ?? [];
  const request = requestBody?.content[JSON_TYPE];
  const problems = Object.entries(responses).filter(([status]) => status !== '200');
  return [
    `## ${summary}`,
    code(call),
    description,
    ...(aliases.length === 0 ? [] : [`The same at: ${aliases.map(code).join(', ')}.`]),
    ...(parameters.length === 0
      ? []
      : [
          table(
            ['Parameter', 'Type', 'Meaning'],
            parameters.map(
              ({ name, in: place, schema, required = false, description: meaning }) => [
                code(name),
                `in the ${place}: ${neededType(schema, required)}`,
                meaning,
              ],
            ),
          ),
        ]),
    ...(request === undefined ? [] : requestMarkdown(request, openApi)),
    `**Answer**: ${answerText(responses['200']?.content)}`,
    answerSample(responses['200']?.content),
    table(
      ['Status', 'Codes'],
      problems.map(([status, { description: codes }]) => [status, linked(codes)]),
    ),
  ].join('\n\n');
}

/** The example, which a wide page shows beside the table of the fields. */
function requestMarkdown(
  { schema, example }: Content[string],
  openApi: OpenApi,
): readonly string[] {
  const sample = example === undefined ? [] : [block('json', pretty(example))];
  return [...sample, fieldTable(resolve(schema, openApi))];
}

/** What a gateway answered, which a wide page shows beside the errors. */
function answerSample(byType: Content = {}): string {
  const stream = byType[STREAM_TYPE]?.example;
  return typeof stream === 'string'
    ? block('text', stream.trim())
    : block('json', pretty(byType[JSON_TYPE]?.example));
}

function objectMarkdown(name: string, schema: JsonSchema): string {
  return [`### ${name}`, schema.description ?? '', fieldTable(schema)].filter(Boolean).join('\n\n');
}

function answerText(byType: Content = {}): string {
  const event = byType[STREAM_TYPE]?.schema;
  if (event !== undefined) {
    return `a stream of events, each with the text of a ${typeOf(event)}.`;
  }
  const content = byType[JSON_TYPE]?.schema?.properties?.content;
  if (content === undefined) {
    return 'the envelope.';
  }
  return `the envelope with \`content\`: ${typeOf(content)}${content.description === undefined ? '' : `, ${lowerFirst(content.description)}`}.`;
}

/** Every field at every depth, by its path. */
function fieldTable(schema: JsonSchema): string {
  return table(['Field', 'Type', 'Meaning'], [...fieldRows(schema, '')]);
}

function* fieldRows(schema: JsonSchema, path: string): Generator<readonly string[]> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const fieldPath = path === '' ? name : `${path}.${name}`;
    const isRequired = schema.required?.includes(name) === true;
    yield [code(fieldPath), neededType(field, isRequired), field.description ?? ''];
    yield* nestedRows(field, fieldPath);
  }
}

function neededType(schema: JsonSchema, isRequired: boolean): string {
  return `${typeOf(schema)}${isRequired ? '; **required**' : ''}`;
}

function* nestedRows(field: JsonSchema, path: string): Generator<readonly string[]> {
  for (const choice of field.anyOf ?? [field]) {
    if (choice.items === undefined) {
      yield* fieldRows(choice, path);
    } else {
      yield* nestedRows(choice.items, `${path}[]`);
    }
  }
}

function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return name === 'ErrorCode' ? '[error code](errors.md)' : `[${name}](#${name.toLowerCase()})`;
  }
  if (schema.anyOf !== undefined) {
    const isOpen = schema.anyOf.some((choice) => choice.enum !== undefined);
    const choices = schema.anyOf.filter((choice) => !isOpen || !isAnyText(choice));
    return [...choices.map(typeOf), ...(isOpen ? ['a later one'] : [])].join(' or ');
  }
  if (schema.const !== undefined) {
    return code(JSON.stringify(schema.const));
  }
  if (schema.enum !== undefined) {
    return schema.enum.map((value) => code(String(value))).join(', ');
  }
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['any']);
  const type = types.join(' or ');
  const items = schema.items === undefined ? '' : ` of ${typeOf(schema.items)}`;
  const rules = rulesOf(schema);
  return `${type}${items}${rules === '' ? '' : `; ${rules}`}`;
}

function isAnyText(schema: JsonSchema): boolean {
  return schema.type === 'string' && Object.keys(schema).length === 1;
}

function rulesOf(schema: JsonSchema): string {
  const { minLength = 0, maxLength, minimum, maximum, exclusiveMinimum } = schema;
  return [
    maxLength === undefined ? '' : `${minLength} to ${maxLength} characters`,
    minimum === undefined || maximum === undefined ? '' : `${minimum} to ${maximum}`,
    exclusiveMinimum === undefined ? '' : `above ${exclusiveMinimum}, at most ${maximum}`,
    schema.maxItems === undefined ? '' : `at most ${schema.maxItems}`,
    // The width of integers is for generators.
    /^int/.test(schema.format ?? '') ? '' : (schema.format ?? ''),
  ]
    .filter(Boolean)
    .join(', ');
}

function resolve(schema: JsonSchema, { components }: OpenApi): JsonSchema {
  return components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function code(text: string): string {
  return `\`${text}\``;
}

/** Error codes lead to their entries. */
function linked(codes: string): string {
  return codes.replaceAll(/`(\w+)`/g, '[`$1`](errors.md#$1)');
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
