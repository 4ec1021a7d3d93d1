import { vi } from 'vitest';
import { RailsScene } from '../../support/e2e-rails.ts';

// Tests wait more than they work, some of them for half a minute for a rail that never answers.
vi.setConfig({ maxConcurrency: 24 });

/** The gateway that all parts of `rails.test.ts` share. */
export const rails = new RailsScene('rails');
