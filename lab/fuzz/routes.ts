import { dashboardRouter } from '../../back-office/dashboard/router.ts';
import { homeRouter } from '../../back-office/home/router.tsx';
import { operatorRouter } from '../../back-office/operator/router.ts';
import { apiRouter } from '../../src/api.ts';
import { callbackRouter } from '../../src/engine/callbacks/router.ts';
import { checkoutRouter } from '../../src/engine/checkout/router.ts';
import { HEALTH_PATH } from '../../src/kit/http/health.ts';

export interface Route {
  readonly method: string;
  readonly pattern: RegExp;
  /** Segments that begin with a colon are parameters. */
  readonly path: string;
}

/**
 * Every route of the gateway, in the order in which it tries them. Payments and the back office both
 * have `/health`; on the host that they share here, it leads to payments.
 */
export const ROUTES: readonly Route[] = [
  ...apiRouter.routes,
  // Before the callbacks: the simulator's form posts to an address like theirs.
  ...checkoutRouter.routes,
  ...callbackRouter.routes,
  ...homeRouter.routes.filter(([, pattern]) => !pattern.test(HEALTH_PATH)),
  ...dashboardRouter.routes,
  ...operatorRouter.routes,
].map(([method, pattern, , path]) => ({ method, pattern, path: path ?? '' }));
