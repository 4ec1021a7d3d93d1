/** The bundles of two versions, which `lab/compatibility/system.ts` puts beside a host. */
declare module 'bundle-*' {
  const bundle: Readonly<Record<string, unknown>>;
  export = bundle;
}
