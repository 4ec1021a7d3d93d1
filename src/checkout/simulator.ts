import { h } from 'preact';
import { railOrder } from '../attempts/order.ts';
import { messagesFor } from '../i18n/language.ts';
import { simulator } from '../rails/simulator/rail.ts';
import { unknownPage } from './notices.ts';
import { openLink, pathSegment } from './open-link.ts';
import { pageResponse } from './page-response.ts';
import { SimulatorPage } from './pages/simulator.tsx';

/** GET /simulator/:token: the sandbox's stand-in for a rail's page. */
export async function showSimulator(request: Request, env: Env): Promise<Response> {
  const opened = await openLink(request, env, 'attempt', pathSegment(request, 1));
  if (opened instanceof Response) {
    return opened;
  }
  const intent = opened.intent;
  const attempt = intent.attempts[opened.link.attemptIndex];
  if (attempt?.railId !== simulator.id) {
    return unknownPage(request);
  }
  const { checkoutUrl } = await railOrder(env, opened.client.objectId, intent, attempt);
  const page = h(SimulatorPage, {
    text: messagesFor(request),
    terms: intent.terms,
    attempt,
    path: `/simulator/${opened.token}`,
    remainingMs: Math.max(0, attempt.deadlineAtMs - Date.now()),
    action: `/rails/${simulator.id}/${opened.token}`,
    checkoutUrl,
  });
  return pageResponse(request, page, {
    formTargets: [intent.terms.baseUrl, intent.terms.returnUrl],
  });
}
