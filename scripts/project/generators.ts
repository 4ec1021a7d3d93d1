/** What makes the committed files that other files decide. With `--check`, each only compares them. */
export const GENERATORS: readonly string[] = [
  'node scripts/openapi.ts',
  'node scripts/build-assets.ts',
  'node scripts/build-error-docs.ts',
  'node scripts/migration-names.ts',
  'wrangler types --include-runtime=false --strict-vars=false',
];
