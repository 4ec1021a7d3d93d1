import type { Command, Intent } from '../domain/intent.ts';
import { unknownPage } from '../pages/notices.ts';
import { openLink, pathSegment } from '../pages/open-link.ts';
import { returnUrlFor } from '../pages/return-url.ts';
import type { CallbackResult } from './rail.ts';
import { railFor } from './registry.ts';
import { railOrder } from './run-attempt.ts';

type ProvedOutcome = Extract<CallbackResult, { type: 'outcome' }>;

/**
 * POST /rails/:rail/:token: what a rail says about an attempt, by the unguessable address that we
 * gave it. Nothing changes until the adapter finds it authentic (promise 9), and the rail is
 * answered only after the commit, so that what it believes delivered is stored.
 */
export async function handleRailCallback(request: Request, env: Env): Promise<Response> {
  const opened = await openLink(request, env, 'attempt', pathSegment(request, 2));
  if (opened instanceof Response) {
    return opened;
  }
  const { client, intent, link } = opened;
  const attempt = intent.attempts[link.attemptIndex];
  const rail = attempt && railFor(intent.terms.environment, attempt.method);
  if (attempt === undefined || !rail || rail.id !== pathSegment(request, 1)) {
    return unknownPage(request);
  }
  const order = await railOrder(env, client.objectId, intent, attempt);
  const result = await rail.handleCallback(request, order);
  if (result.type === 'refused') {
    return result.answer;
  }
  const executed = await client.execute(commandsFor(result, attempt.id, intent));
  if (executed.type === 'not_found') {
    return unknownPage(request);
  }
  // Settled before, by somebody else: the customer must see how, not what was clicked now.
  const isStale = executed.rejection === 'attempt_not_pending';
  const customerUrl = isStale
    ? order.checkoutUrl
    : customerUrlAfter(result, executed.intent, order.checkoutUrl);
  return result.answer({ customerUrl });
}

/** In one commit. Only a hosted payment outlives its failed attempt and can be given up. */
function commandsFor(
  { outcome, onlyPending, givesUp }: ProvedOutcome,
  attemptId: string,
  intent: Intent,
): readonly Command[] {
  const settle: Command = { type: 'settle_attempt', attemptId, outcome, onlyPending };
  return givesUp && intent.terms.kind === 'hosted' ? [settle, { type: 'give_up' }] : [settle];
}

/** Hosted customers see the result here; express ones, and whoever gave up, go to the merchant. */
function customerUrlAfter(result: ProvedOutcome, intent: Intent, checkoutUrl: string): string {
  const leaves = result.givesUp || intent.terms.kind === 'express';
  return leaves ? (returnUrlFor(intent) ?? checkoutUrl) : checkoutUrl;
}
