import { vi } from 'vitest';
import { RailsScene } from '../../support/e2e-rails.ts';

// Tests wait more than they work, some of them for a rail that never answers.
vi.setConfig({ maxConcurrency: 40, testTimeout: 120_000 });

/** The gateway that all parts of `rails.test.ts` share. Calls to telebirr are cut off early. */
export const rails = new RailsScene('rails', {
  moreSettings: { TELE_BIRR: { callTimeoutMs: 8_000 } },
});
