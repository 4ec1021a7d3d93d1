import { backOfficeOrigin, type ProblemContext } from '../../kit/http/envelope.ts';
import { HEALTH_PATH, healthBy } from '../../kit/http/health.ts';
import type { Problem } from '../../kit/http/problem.ts';
import { AreaRouter, type Handler, methodNotAllowed } from '../../kit/http/router.ts';
import {
  handleRailCallback,
  handleRefundCallback,
  handleSharedCallback,
} from '../callbacks/router.ts';
import { configOf } from '../config.ts';
import { CALLBACK_ROUTES } from '../rails/registry.ts';
import { lostPage, receiptOverPage, unavailablePage, unknownPage } from './notices.ts';
import { behindLink, type LinkCall } from './open-link.ts';
import { showLogo, showQr, showStatus } from './parts.ts';
import {
  abandonAttempt,
  giveUp,
  showCheckout,
  showInstead,
  showReceipt,
  showReturned,
  startAttempt,
} from './routes.ts';

const CHECKOUT = '/checkout/:token';

/** Every page that customers see, the URLs for the providers' callbacks, and the Worker's health. */
export const checkoutRouter = new AreaRouter({
  refuse,
  failureEvent: 'page_failed',
  outageEvent: 'page_failed',
  refusalEvent: null,
});

checkoutRouter.get(HEALTH_PATH, healthBy(configOf));
checkoutRouter.get(CHECKOUT, behindLink('checkout', showCheckout));
checkoutRouter.get(`${CHECKOUT}/logo/:digest`, behindLink('checkout', showLogo));
checkoutRouter.get(`${CHECKOUT}/status`, behindLink('checkout', showStatus));
checkoutRouter.get(`${CHECKOUT}/qr.svg`, showQr);
checkoutRouter.on('GET', `${CHECKOUT}/returned`, behindLink('checkout', showReturned));
// A HEAD request does not prove a return, so it causes no provider query.
checkoutRouter.on('HEAD', `${CHECKOUT}/returned`, showInstead);
checkoutRouter.post(`${CHECKOUT}/returned`, behindLink('checkout', showReturned));
for (const [name, post] of [
  ['attempts', startAttempt],
  ['abandon', abandonAttempt],
  ['give-up', giveUp],
] as const) {
  checkoutRouter.get(`${CHECKOUT}/${name}`, showInstead);
  checkoutRouter.post(`${CHECKOUT}/${name}`, behindLink('checkout', post));
}
checkoutRouter.get('/receipt/:token', behindLink('receipt', showReceipt, receiptOverPage));
checkoutRouter.get('/receipt/:token/logo/:digest', behindLink('receipt', showLogo));
checkoutRouter.get('/receipt/:token/qr.svg', showQr);
checkoutRouter.get('/simulator/:token', behindLink('attempt', simulated('showSimulator')));
checkoutRouter.post(
  '/rails/simulator/:token',
  toTheEnd(behindLink('attempt', simulated('decideSimulated'))),
);
checkoutRouter.post('/rails/:rail/:token', toTheEnd(handleRailCallback));
checkoutRouter.post('/rails/:rail/refunds/:token', toTheEnd(handleRefundCallback));
for (const { railId, verbs, sharedPath } of CALLBACK_ROUTES) {
  for (const verb of verbs) {
    if (verb !== 'POST') {
      checkoutRouter.on(verb, `/rails/${railId}/:token`, toTheEnd(handleRailCallback));
    }
    if (sharedPath !== undefined) {
      checkoutRouter.on(verb, `/rails/${railId}${sharedPath}`, toTheEnd(handleSharedCallback));
    }
  }
}

/** Loaded with the first simulated attempt: production has none. */
function simulated(name: 'showSimulator' | 'decideSimulated') {
  return async (call: LinkCall): Promise<Response> => (await import('./simulator.ts'))[name](call);
}

/** A callback is processed completely even if the provider disconnects before the response. */
function toTheEnd(handler: Handler): Handler {
  return (request, env, ctx, ...more) => {
    const answered = handler(request, env, ctx, ...more);
    ctx.waitUntil(answered.catch(() => undefined));
    return answered;
  };
}

/** Addresses that only a link to a payment or a provider's callback has. */
const OF_PAYMENT = /^\/(?:checkout|receipt|simulator|rails)(?:\/|$)/;

function refuse(request: Request, problem: Problem, { env }: ProblemContext<Env>) {
  switch (problem.status) {
    case 404:
      return OF_PAYMENT.test(new URL(request.url).pathname)
        ? unknownPage(request)
        : lostPage(request, backOfficeOrigin(request, env));
    case 405:
      return methodNotAllowed(problem);
    default:
      return unavailablePage(request);
  }
}
