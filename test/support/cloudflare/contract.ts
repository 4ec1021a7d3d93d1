import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';
import type { Call } from './api.ts';

/** What our own scripts may ask of Cloudflare. Wrangler knows its calls itself. */

/** What JSON looks like, without its values. */
type Shape =
  | 'string'
  | 'number'
  | 'boolean'
  | 'null'
  /** A name that ends in `?` may be missing. */
  | { readonly fields: Readonly<Record<string, Shape>> }
  | { readonly listOf: Shape }
  /** Names are free, such as those of secrets. */
  | { readonly mapOf: Shape }
  | { readonly anyOf: readonly Shape[] };

interface CallContract {
  /** Cloudflare's documentation, or the version of wrangler that makes the same call. */
  readonly source: string;
  /** The names of the query's parameters. Each may be missing. */
  readonly query: readonly string[];
  readonly body: { readonly none?: true; readonly json?: Shape };
}

type Contract = Readonly<Record<string, CallContract>>;

export const FIXTURES_DIRECTORY = join(PROJECT_DIRECTORY, 'test', 'fixtures', 'cloudflare');

export function readContract(): Contract {
  return JSON.parse(readFileSync(join(FIXTURES_DIRECTORY, 'calls.json'), 'utf8'));
}

/** Why a script may not make the call; empty for one of the contract. */
export function violations(contract: Contract, { name, query, body }: Call): readonly string[] {
  const known = contract[name];
  if (known === undefined) {
    return [`${name} is not a call of our scripts`];
  }
  const parameters = [...query.keys()]
    .filter((parameter) => !known.query.includes(parameter))
    .map((parameter) => `the parameter ${parameter} is not known`);
  return [...parameters, ...bodyViolations(known.body, body)].map((why) => `${name}: ${why}`);
}

function bodyViolations({ none, json }: CallContract['body'], body: Call['body']) {
  switch (body.kind) {
    case 'none':
      return none ? [] : ['the body is missing'];
    case 'json':
      return json === undefined ? ['the body is JSON'] : mistakes(json, body.json);
    default:
      return [`the body is ${body.kind}`];
  }
}

/** Where a value differs from the shape: one sentence for each place. */
function mistakes(shape: Shape, value: unknown, place = 'body'): readonly string[] {
  if (typeof shape === 'string') {
    const kind = value === null ? 'null' : typeof value;
    return kind === shape ? [] : [`${place} is ${kind} instead of ${shape}`];
  }
  if ('anyOf' in shape) {
    const each = shape.anyOf.map((alternative) => mistakes(alternative, value, place));
    return each.some((found) => found.length === 0) ? [] : (each[0] ?? []);
  }
  if ('listOf' in shape) {
    return Array.isArray(value)
      ? value.flatMap((item, index) => mistakes(shape.listOf, item, `${place}[${index}]`))
      : [`${place} is no list`];
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [`${place} is no object`];
  }
  return 'mapOf' in shape
    ? Object.entries(value).flatMap(([name, item]) =>
        mistakes(shape.mapOf, item, `${place}.${name}`),
      )
    : fieldMistakes(shape.fields, Object.entries(value), place);
}

function fieldMistakes(
  fields: Readonly<Record<string, Shape>>,
  entries: readonly (readonly [name: string, value: unknown])[],
  place: string,
): readonly string[] {
  const given = entries.flatMap(([name, value]) => {
    const shape = fields[name] ?? fields[`${name}?`];
    return shape === undefined
      ? [`${place}.${name} is not known`]
      : mistakes(shape, value, `${place}.${name}`);
  });
  const names = entries.map(([name]) => name);
  const missing = Object.keys(fields)
    .filter((name) => !name.endsWith('?') && !names.includes(name))
    .map((name) => `${place}.${name} is missing`);
  return [...given, ...missing];
}
