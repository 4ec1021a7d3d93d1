import { vi } from 'vitest';
import { RailsScene } from '../../support/e2e-rails.ts';

// Tests mostly wait, some of them half a minute for a rail that never answers.
vi.setConfig({ maxConcurrency: 24 });

/** The gateway shared by all parts of `rails.test.ts`. */
export const rails = new RailsScene('rails');
