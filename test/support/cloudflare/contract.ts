import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';
import type { Body, Call, Part } from './api.ts';
import { merged, mistakes, type Shape, shapeOf } from './shape.ts';

/** What a call may be: the union of all of that name that were recorded. */
export interface CallContract {
  /** The names of the query's parameters. Each may be missing. */
  readonly query: readonly string[];
  readonly body: BodyContract;
}

interface BodyContract {
  readonly none?: true;
  readonly text?: true;
  readonly json?: Shape;
  /** The shape of the part `metadata`, and the types of all other parts, whose names are free. */
  readonly metadata?: Shape;
  readonly partTypes?: readonly string[];
}

export type Contract = Readonly<Record<string, CallContract>>;

export const FIXTURES_DIRECTORY = join(PROJECT_DIRECTORY, 'test', 'fixtures', 'cloudflare');
/** Recorded by `npm run lab -- record-cloudflare`. */
export const CONTRACT_FILE = join(FIXTURES_DIRECTORY, 'contract.json');
/** Calls that the project's scripts make themselves, each with the address of its documentation. */
const ADDITIONS_FILE = join(FIXTURES_DIRECTORY, 'additions.json');

export function readContract(): Contract {
  const [recorded, additions] = [CONTRACT_FILE, ADDITIONS_FILE].map(
    (file) => JSON.parse(readFileSync(file, 'utf8')).calls as Contract,
  );
  const own = Object.entries(additions ?? {}).map(
    ([name, call]) => [name, mergedCalls(recorded?.[name], call)] as const,
  );
  return { ...recorded, ...Object.fromEntries(own) };
}

/** The contract with one more example of a call. */
export function withExample(contract: Contract, { name, query, body }: Call): Contract {
  const example = { query: [...query.keys()].sort(), body: bodyContract(body) };
  return { ...contract, [name]: mergedCalls(contract[name], example) };
}

function mergedCalls(known: CallContract | undefined, other: CallContract): CallContract {
  return {
    query: [...new Set([...(known?.query ?? []), ...other.query])].sort(),
    body: known === undefined ? other.body : mergedBodies(known.body, other.body),
  };
}

function bodyContract(body: Body): BodyContract {
  switch (body.kind) {
    case 'none':
      return { none: true };
    case 'text':
      return { text: true };
    case 'json':
      return { json: shapeOf(body.json) };
    case 'multipart': {
      const metadata = body.parts.find(isMetadata);
      const types = body.parts
        .filter((part) => !isMetadata(part))
        .map(({ type }) => type ?? 'text');
      return {
        ...(metadata && { metadata: shapeOf(JSON.parse(metadata.content.toString())) }),
        partTypes: [...new Set(types)].sort(),
      };
    }
  }
}

function isMetadata({ name, type }: Part): boolean {
  return name === 'metadata' && type === null;
}

function mergedBodies(one: BodyContract, other: BodyContract): BodyContract {
  const both = { ...one, ...other };
  const types = new Set([...(one.partTypes ?? []), ...(other.partTypes ?? [])]);
  return {
    ...both,
    ...(one.json && other.json && { json: merged(one.json, other.json) }),
    ...(one.metadata && other.metadata && { metadata: merged(one.metadata, other.metadata) }),
    ...(both.partTypes && { partTypes: [...types].sort() }),
  };
}

/** Why a call is not one of the contract; empty for one that is. */
export function violations(contract: Contract, { name, query, body }: Call): readonly string[] {
  const known = contract[name];
  if (known === undefined) {
    return [`${name} is not a call that was recorded`];
  }
  const parameters = [...query.keys()]
    .filter((parameter) => !known.query.includes(parameter))
    .map((parameter) => `the parameter ${parameter} is not known`);
  return [...parameters, ...bodyViolations(known.body, body)].map((why) => `${name}: ${why}`);
}

function bodyViolations(contract: BodyContract, body: Body): readonly string[] {
  switch (body.kind) {
    case 'none':
      return contract.none ? [] : ['the body is missing'];
    case 'text':
      return contract.text ? [] : ['the body is text'];
    case 'json':
      return contract.json ? mistakes(contract.json, body.json) : ['the body is JSON'];
    case 'multipart': {
      const { metadata, partTypes } = contract;
      if (partTypes === undefined) {
        return ['the body has parts'];
      }
      const given = body.parts.find(isMetadata);
      const other = body.parts.filter((part) => !isMetadata(part));
      return [
        ...(metadata && given === undefined ? ['the part metadata is missing'] : []),
        ...(metadata && given
          ? mistakes(metadata, JSON.parse(given.content.toString()), 'metadata')
          : []),
        ...other
          .filter(({ type }) => !partTypes.includes(type ?? 'text'))
          .map((part) => `the part ${part.name} has the type ${part.type}`),
      ];
    }
  }
}
