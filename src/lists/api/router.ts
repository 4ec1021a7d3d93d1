import { apiRouterOf } from '../../engine/api/router.ts';
import { OPERATIONS } from './operations.ts';

/** All routes of the merchants' API. */
export const apiRouter = apiRouterOf(Object.values(OPERATIONS));
