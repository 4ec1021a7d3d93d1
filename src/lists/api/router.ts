import { apiRouterOf } from '../../engine/api/router.ts';
import { OPERATIONS } from './operations.ts';

/** All routes of the merchants' API. */
export const apiRouter = apiRouterOf(Object.values(OPERATIONS), async (...refused) =>
  // Loaded with the first refused request: no other waits for it.
  (await import('./record-refused.ts')).recordRefused(...refused),
);
