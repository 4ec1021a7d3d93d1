import { type IRequest, Router } from 'itty-router';
import { handleCbeCallback, handleRailCallback } from '../attempts/callback.ts';
import { IntentUnavailable } from '../intent/client.ts';
import { errorText, log } from '../log.ts';
import { showLogo } from './logo.ts';
import { unavailablePage, unknownPage } from './notices.ts';
import { showQr } from './qr.ts';
import {
  abandonAttempt,
  giveUp,
  showCheckout,
  showInstead,
  showReturned,
  startAttempt,
} from './routes.ts';
import { showSimulator } from './simulator.ts';
import { showStatus } from './status.ts';

type Page = (request: Request, env: Env, ctx: ExecutionContext) => Promise<Response>;
type Route = (request: IRequest, ...args: Arguments) => Promise<Response>;
type Arguments = [Env, ExecutionContext, requestId: string];

/** Every page a customer meets, and the addresses that rails call back. */
export const checkoutRouter = Router<IRequest, Arguments>()
  .get('/checkout/:token', page(showCheckout))
  .head('/checkout/:token', page(showCheckout))
  .get('/checkout/:token/logo/:digest', page(showLogo))
  .head('/checkout/:token/logo/:digest', page(showLogo))
  .get('/checkout/:token/status', page(showStatus))
  .head('/checkout/:token/status', page(showStatus))
  .get('/checkout/:token/qr.svg', page(showQr))
  .head('/checkout/:token/qr.svg', page(showQr))
  .get('/checkout/:token/attempts', page(showInstead))
  .head('/checkout/:token/attempts', page(showInstead))
  .get('/checkout/:token/abandon', page(showInstead))
  .head('/checkout/:token/abandon', page(showInstead))
  .get('/checkout/:token/give-up', page(showInstead))
  .head('/checkout/:token/give-up', page(showInstead))
  .get('/checkout/:token/returned', page(showReturned))
  .head('/checkout/:token/returned', page(showInstead))
  .post('/checkout/:token/returned', page(showReturned))
  .post('/checkout/:token/attempts', page(startAttempt))
  .post('/checkout/:token/abandon', page(abandonAttempt))
  .post('/checkout/:token/give-up', page(giveUp))
  .get('/simulator/:token', page(showSimulator))
  .head('/simulator/:token', page(showSimulator))
  .post('/rails/cbe-birr', page(toTheEnd(handleCbeCallback)))
  .post('/rails/:rail/:token', page(toTheEnd(handleRailCallback)))
  // The card gateway's accounts may be set to report by GET.
  .get('/rails/ethswitch-cards/:token', page(toTheEnd(handleRailCallback)))
  .all('*', page(missing));

/** A rail that hangs up before it is answered must not undo what it has said. */
function toTheEnd(handler: Page): Page {
  return (request, env, ctx) => {
    const answered = handler(request, env, ctx);
    ctx.waitUntil(answered.catch(() => undefined));
    return answered;
  };
}

/** Whatever goes wrong, a customer gets a page in words and nothing of ours. */
function page(handler: Page): Route {
  return async (itty, env, ctx, requestId) => {
    const request = itty as unknown as Request;
    try {
      return await handler(request, env, ctx);
    } catch (error) {
      const level = error instanceof IntentUnavailable ? 'warn' : 'error';
      log(level, 'page_failed', { requestId, error: errorText(error) });
      return unavailablePage(request);
    }
  };
}

/** 405 with Allow for a path that other methods know, else the unknown page. */
async function missing(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const allowed = checkoutRouter.routes
    .filter(([method, pattern]) => method !== 'ALL' && pattern.test(pathname))
    .map(([method]) => method);
  if (allowed.length === 0) {
    return unknownPage(request);
  }
  const headers = { allow: allowed.join(', '), 'cache-control': 'no-store' };
  return new Response('Method not allowed', { status: 405, headers });
}
