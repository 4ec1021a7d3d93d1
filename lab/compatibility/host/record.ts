import type { Part } from './choose.ts';

/**
 * What crossed between two parts of the deployment, as a list of members with their types:
 * `lab/compatibility/compare.ts` compares them.
 */

/** A kind of message: `PaymentIntent.create request`, from the Worker to the payment's object. */
export interface Crossing {
  readonly from: Part;
  readonly to: Part;
  readonly message: string;
  readonly members: readonly string[];
}

const recorded = new Map<string, Omit<Crossing, 'members'> & { readonly members: Set<string> }>();

export function recordMessage(from: Part, to: Part, message: string, value: unknown): void {
  const key = `${from} ${to} ${message}`;
  const known = recorded.get(key) ?? { from, to, message, members: new Set<string>() };
  recorded.set(key, known);
  collectMembers(value, '', known.members);
}

export function recordedCrossings(): readonly Crossing[] {
  return [...recorded.values()].map(({ members, ...crossing }) => ({
    ...crossing,
    members: [...members],
  }));
}

/**
 * The paths of all members of a value, each with its type: `.terms.amountMinor: number`. Items of a
 * list, a map or a set share a path. A `type` belongs to the path, so that the members of one kind of
 * answer do not hide those of another.
 */
function collectMembers(value: unknown, path: string, into: Set<string>): void {
  if (value === undefined) {
    return;
  }
  if (value === null || typeof value !== 'object') {
    into.add(`${path}: ${value === null ? 'null' : typeof value}`);
  } else if (Array.isArray(value) || value instanceof Set || value instanceof Map) {
    const items = [...value];
    into.add(`${path}: ${items.length === 0 ? 'nothing' : 'list'}`);
    for (const item of items) {
      collectMembers(item, `${path}[]`, into);
    }
  } else if (value instanceof Uint8Array || value instanceof ArrayBuffer || value instanceof Date) {
    into.add(`${path}: ${value.constructor.name}`);
  } else {
    const kind: unknown = Reflect.get(value, 'type');
    const node = typeof kind === 'string' ? `${path}(${kind})` : path;
    into.add(`${node}: object`);
    for (const [name, member] of Object.entries(value)) {
      collectMembers(member, `${node}.${name}`, into);
    }
  }
}
