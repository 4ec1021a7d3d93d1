import type { D1Migration } from 'cloudflare:test';

declare global {
  namespace Cloudflare {
    interface Env {
      /** The files of `migrations/`, from vitest.config.ts. */
      readonly TEST_MIGRATIONS: D1Migration[];
    }
  }
}
