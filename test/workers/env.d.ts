import type { D1Migration } from 'cloudflare:test';

declare global {
  namespace Cloudflare {
    interface Env {
      /** From vitest.config.ts: the files of `migrations/`. */
      readonly TEST_MIGRATIONS: D1Migration[];
    }
  }
}
