import { dashboardRouter } from '../../back-office/dashboard/router.ts';
import { homeRouter } from '../../back-office/home/router.tsx';
import { operatorRouter } from '../../back-office/operator/router.ts';
import { apiRouter } from '../../src/api/router.ts';
import { checkoutRouter } from '../../src/checkout/router.ts';

export interface Route {
  readonly method: string;
  readonly pattern: RegExp;
  /** Segments that begin with a colon are parameters. */
  readonly path: string;
}

/** Every route of the gateway, in the order in which an area tries them. */
export const ROUTES: readonly Route[] = [
  ...apiRouter.routes,
  ...checkoutRouter.routes,
  ...dashboardRouter.routes,
  ...operatorRouter.routes,
  ...homeRouter.routes,
].map(([method, pattern, , path]) => ({ method, pattern, path: path ?? '' }));
