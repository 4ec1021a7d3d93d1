/** The versions of a Worker that a host has, and which one plays which part. */

export type Version = 'old' | 'new';

/** A part of the deployment that the platform may run in another version than its neighbors. */
export const PARTS = [
  'backOffice',
  'worker',
  'consumer',
  'intent',
  'book',
  'register',
  'alerts',
] as const;
export type Part = (typeof PARTS)[number];

/** Where a host answers with what it recorded. */
export const RECORDED_PATH = '/recorded';

export type Assignment = Readonly<Record<Part, Version>>;

/** The binding of a host that says which version plays which part. */
export interface HostEnv {
  readonly VERSIONS: Assignment;
}

type Bundle = Readonly<Record<string, unknown>>;
export type Bundles = Readonly<Record<Version, Bundle>>;

type Handler = (first: unknown, env: unknown, ctx: unknown) => unknown;

/** A handler of the part's version. */
export function handlerOf(bundles: Bundles, version: Version, name: string): Handler {
  const handlers = bundles[version].default as Readonly<Record<string, Handler>>;
  const handler = handlers[name];
  if (handler === undefined) {
    throw new Error(`the ${version} version has no handler ${name}`);
  }
  return handler.bind(handlers);
}

type Instance = object;
type InstanceClass = new (ctx: unknown, env: unknown) => Instance;

/** An instance of a class that the part's version exports. */
export function instanceOf(
  bundles: Bundles,
  version: Version,
  className: string,
  ctx: unknown,
  env: unknown,
): Instance {
  // Only the new version has, and calls, a class that it adds.
  const chosen = (bundles[version][className] ?? bundles.new[className]) as
    | InstanceClass
    | undefined;
  if (chosen === undefined) {
    throw new Error(`the ${version} version has no ${className}`);
  }
  return new chosen(ctx, env);
}
