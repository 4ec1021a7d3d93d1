import type { Assignment, Version } from './host/choose.ts';
import type { Crossing } from './host/record.ts';

/**
 * Names of members that the deployed version still sends, although nothing reads them any more. Empty
 * it after the release that removes them: see docs/changing.md, "Change an RPC or a queue message".
 */
const RETIRED: readonly string[] = [];

/**
 * Members that a receiver gets from its own version and did not get from the other one. `mixed`: of a
 * run with this assignment. `own`: of the runs in which every part had the same version.
 */
export function missingMembers(
  mixed: readonly Crossing[],
  assignment: Assignment,
  own: Readonly<Record<Version, readonly Crossing[]>>,
): readonly string[] {
  return mixed.flatMap((crossing) => {
    const { from, to, message } = crossing;
    if (assignment[from] === assignment[to]) {
      return [];
    }
    const version = assignment[to];
    const got = typesByPath(crossing.members);
    const wanted = usualMembers(own[version], crossing);
    const before = usualMembers(own.old, crossing);
    // Once the new version has a message without an old member, an addition may be its new name.
    const mayAdd = version === 'new' && absent(before, wanted).length === 0;
    return absent(wanted, got)
      .filter(({ path }) => !(mayAdd && before.get(path) === undefined))
      .map(({ path, type }) => {
        const parts = `${from} (${assignment[from]}) to ${to} (${version})`;
        return `${message}, ${parts}: no ${path || 'value'} that is a ${type}`;
      });
  });
}

/** What a message has when both parts have the same version. */
function usualMembers(own: readonly Crossing[], { from, to, message }: Crossing): TypesByPath {
  const usual = own.find((one) => one.from === from && one.to === to && one.message === message);
  return typesByPath(usual?.members ?? []);
}

/** The members of one message that the other lacks. */
function absent(wanted: TypesByPath, got: TypesByPath) {
  return [...wanted].flatMap(([path, types]) =>
    [...types]
      .filter((type) => !isThere(got, path, type))
      .filter(() => !isRetired(path) && !isOtherKind(got, wanted, path))
      .map((type) => ({ path, type })),
  );
}

/**
 * Whether the path is within a kind of value that did not come this time, while other kinds came that
 * the receiver knows: which ones come depends on the moment.
 */
function isOtherKind(got: TypesByPath, wanted: TypesByPath, path: string): boolean {
  const end = path.lastIndexOf(')');
  const kind = path.slice(0, end + 1);
  if (end < 0 || got.has(kind)) {
    return false;
  }
  const start = kind.slice(0, kind.lastIndexOf('(') + 1);
  const others = [...got.keys()].filter((one) => one.startsWith(start) && one.endsWith(')'));
  return others.length > 0 && others.every((one) => wanted.has(one));
}

function isRetired(path: string): boolean {
  return path.split(/[.[(]/).some((name) => RETIRED.includes(name));
}

/** Some members have the name of a merchant or payment, and each run has its own. */
const ID = /shop-\d+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{64}/g;

type TypesByPath = ReadonlyMap<string, ReadonlySet<string>>;

/** What a member has while it has no value, which depends on the moment. */
const NOTHING = ['null', 'nothing'];

function isNothing(types: ReadonlySet<string>): boolean {
  return [...types].every((type) => NOTHING.includes(type));
}

function isThere(got: TypesByPath, path: string, type: string): boolean {
  const types = got.get(path);
  if (types === undefined) {
    const parent = parentOf(path);
    const around = parent === null ? undefined : got.get(parent);
    // Within something that is empty at this moment, nothing can be missing.
    return around === undefined ? parent !== null && isThere(got, parent, type) : isNothing(around);
  }
  return types.has(type) || NOTHING.includes(type) || isNothing(types);
}

/** The path around a member; null for the whole value. */
function parentOf(path: string): string | null {
  const end = Math.max(...['.', '[', '('].map((mark) => path.lastIndexOf(mark)));
  return end < 0 ? null : path.slice(0, end);
}

function typesByPath(members: readonly string[]): TypesByPath {
  const types = new Map<string, Set<string>>();
  for (const member of members) {
    const end = member.lastIndexOf(': ');
    const path = member.slice(0, end).replaceAll(ID, 'id');
    types.set(path, (types.get(path) ?? new Set()).add(member.slice(end + 2)));
  }
  return types;
}
