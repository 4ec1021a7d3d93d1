import type { D1Migration } from 'cloudflare:test';
import type { BackOfficeEnv } from '../../back-office/env.ts';

declare global {
  /** The tests run both planes in one Worker: test/support/gateway.ts. */
  interface Env extends BackOfficeEnv {}

  namespace Cloudflare {
    interface Env extends BackOfficeEnv {
      /** The files of `migrations/`, from vitest.config.ts. */
      readonly TEST_MIGRATIONS: D1Migration[];
      /** The files of `back-office/migrations/`, from vitest.config.ts. */
      readonly TEST_BACK_OFFICE_MIGRATIONS: D1Migration[];
      /** How many payments the test of a rebuild takes, from vitest.config.ts. */
      readonly TEST_REBUILT_PAYMENTS: string;
      /** The SQL of the documents, from vitest.config.ts. */
      readonly TEST_DOCUMENTED_SQL: { readonly place: string; readonly sql: string }[];
      /** What the operator's command line sends for the commands of the documents. */
      readonly TEST_DOCUMENTED_REQUESTS: {
        readonly place: string;
        readonly command: string;
        readonly path: string;
        readonly body: string | null;
        readonly refusal: string | null;
      }[];
    }
  }
}
