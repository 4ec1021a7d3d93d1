import { backOfficeOrigin, type ProblemContext } from '../../kit/http/envelope.ts';
import { HEALTH_PATH, healthBy } from '../../kit/http/health.ts';
import type { Problem } from '../../kit/http/problem.ts';
import { AreaRouter, type Handler, methodNotAllowed } from '../../kit/http/router.ts';
import { configOf } from '../config.ts';
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

/** Every page that customers see, and the Worker's health. */
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
checkoutRouter.get(`${CHECKOUT}/qr.svg`, showQr('checkout'));
checkoutRouter.on('GET', `${CHECKOUT}/returned`, behindLink('checkout', showReturned));
// A HEAD request does not prove a return, so it causes no provider query.
checkoutRouter.on('HEAD', `${CHECKOUT}/returned`, showInstead);
checkoutRouter.post(`${CHECKOUT}/returned`, behindLink('checkout', showReturned));
checkoutRouter.get(`${CHECKOUT}/claim`, behindLink('checkout', claiming('showClaim')));
checkoutRouter.post(`${CHECKOUT}/claim`, behindLink('checkout', claiming('takeClaim')));
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
checkoutRouter.get('/receipt/:token/qr.svg', showQr('receipt'));
checkoutRouter.get('/pay/:slug', linked('showLink'));
checkoutRouter.post('/pay/:slug', linked('submitLink'));
checkoutRouter.get('/pay/:slug/paid', linked('showPaid'));
checkoutRouter.get('/pay/:slug/logo/:digest', linked('showLinkLogo'));
checkoutRouter.get('/simulator/:token', behindLink('attempt', simulated('showSimulator')));
checkoutRouter.post('/rails/simulator/:token', behindLink('attempt', simulated('decideSimulated')));

/** Loaded with the first page of a payment link. */
function linked(name: 'showLink' | 'submitLink' | 'showPaid' | 'showLinkLogo'): Handler {
  return async (...call) => (await import('./link-page.ts'))[name](...call);
}

/** Loaded with the first simulated attempt: production has none. */
function simulated(name: 'showSimulator' | 'decideSimulated') {
  return async (call: LinkCall): Promise<Response> => (await import('./simulator.ts'))[name](call);
}

/** Loaded with the first claim: few customers have one. */
function claiming(name: 'showClaim' | 'takeClaim') {
  return async (call: LinkCall): Promise<Response> => (await import('./claim.ts'))[name](call);
}

/** Addresses that only a link to a payment has. */
const OF_PAYMENT = /^\/(?:checkout|receipt|pay|simulator|rails)(?:\/|$)/;

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
