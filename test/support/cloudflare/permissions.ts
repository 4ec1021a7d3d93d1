/** What a token may do; each covers reading and writing. */
export type Permission =
  | 'Account Settings'
  | 'Workers Scripts'
  | 'D1'
  | 'Queues'
  | 'Workers R2 Storage'
  | 'Workers Routes';

/** The first pattern that a call's name matches decides. */
const NEEDED: readonly (readonly [pattern: RegExp, permission: Permission])[] = [
  [/\/d1\//, 'D1'],
  [/\/queues/, 'Queues'],
  [/\/r2\//, 'Workers R2 Storage'],
  [/\/(?:zones|domains|routes)/, 'Workers Routes'],
  [/\/workers\//, 'Workers Scripts'],
];

export const ALL_PERMISSIONS: readonly Permission[] = [
  'Account Settings',
  ...NEEDED.map(([, permission]) => permission),
];

/** Null for calls that any token may make. */
export function neededFor(name: string): Permission | null {
  return NEEDED.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}
