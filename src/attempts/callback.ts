import { unknownPage } from '../checkout/notices.ts';
import { pathSegment, verifiedLink } from '../checkout/open-link.ts';
import { returnUrlFor } from '../checkout/return-url.ts';
import { configOf } from '../config.ts';
import { type Link, verifyLinkId } from '../crypto/link-token.ts';
import type { Attempt, Command, Intent } from '../domain/intent.ts';
import { ENVIRONMENTS, type Environment } from '../domain/method.ts';
import { readBytes } from '../http/read-bytes.ts';
import { type IntentClient, intentByObjectId } from '../intent/client.ts';
import { errorText, log } from '../log.ts';
import type { CallbackResult, CallbackSuspicion, Rail } from '../rails/rail.ts';
import { railOf } from '../rails/registry.ts';
import { configuredRail } from '../rails/settings.ts';
import { simulator } from '../rails/simulator/rail.ts';
import { railOrder } from './order.ts';
import { storeResult } from './store-result.ts';

/** Rails report in a few hundred bytes, telebirr's USSD in some more. */
const CALLBACK_BYTES_MAX = 64 * 1024;

type ProvedOutcome = Extract<CallbackResult, { type: 'outcome' }>;

/**
 * POST /rails/:rail/:token: what a rail says about an attempt, by the unguessable address that we
 * gave it. Nothing changes until the adapter finds it authentic (docs/promises.md#9), and the rail
 * is answered only after the commit, so that what it believes delivered is stored.
 */
export async function handleRailCallback(request: Request, env: Env): Promise<Response> {
  const link = await verifiedLink(request, env, 'attempt', pathSegment(request, 2));
  if (link instanceof Response) {
    return link;
  }
  // Read while the rail is still there: its payment may take long to be reached.
  const received = await receivedRequest(request);
  if (received instanceof Response) {
    return received;
  }
  const client = intentByObjectId(env, link.objectId);
  const read = await client.readPersistently();
  return read.type === 'not_found'
    ? unknownPage(request)
    : answerCallback(received, env, { client, link, intent: read.intent }, pathSegment(request, 1));
}

/**
 * POST /rails/cbe-birr: CBE reports every payment to the one address that is registered with it.
 * The report is sealed with a secret of CBE's and ours, and names an order id that only we can make
 * and that leads to its payment (docs/promises.md#9).
 */
export async function handleCbeCallback(request: Request, env: Env): Promise<Response> {
  const received = await receivedRequest(request);
  if (received instanceof Response) {
    return received;
  }
  const text = await received.clone().text();
  let isReadable = true;
  for (const environment of ENVIRONMENTS) {
    const rail = cbeRail(env, environment);
    isReadable &&= rail !== 'misconfigured';
    const id = rail === 'misconfigured' ? null : await rail?.orderIdIn?.(text);
    const link = id ? await verifyLinkId(configOf(env).linkSigningKeys, id) : null;
    if (id && link !== null) {
      const client = intentByObjectId(env, link.objectId);
      const read = await client.readPersistently();
      if (read.type !== 'not_found' && read.intent.terms.environment === environment) {
        const found = { client, intent: read.intent, link, selfDescribingId: id };
        return answerCallback(received, env, found, 'cbe-birr');
      }
    }
  }
  log('warn', 'rail_callback_refused', {
    rail: 'cbe-birr',
    suspicion: isReadable ? 'not_authentic' : 'not_configured',
  });
  return isReadable
    ? new Response('Not authentic', { status: 401 })
    : new Response('Not available', { status: 503 });
}

/** The same request with its whole body here, or the answer to one that is too large. */
async function receivedRequest(request: Request): Promise<Request | Response> {
  const bytes = await readBytes(request, CALLBACK_BYTES_MAX);
  if (bytes === null) {
    log('warn', 'rail_callback_refused', { suspicion: 'unreadable' });
    return new Response('Too large', { status: 413 });
  }
  const { method, headers } = request;
  const body = method === 'POST' ? { body: bytes } : {};
  return new Request(request.url, { method, headers, ...body });
}

/** A wrong secret of one environment is not the other's trouble. */
function cbeRail(env: Env, environment: Environment): Rail | null | 'misconfigured' {
  try {
    return configuredRail(env, environment, 'CBE');
  } catch (error) {
    log('error', 'rail_misconfigured', { error: errorText(error) });
    return 'misconfigured';
  }
}

/** The attempt that a callback's address, or its order id, leads to. */
interface Found {
  readonly client: IntentClient;
  readonly intent: Intent;
  readonly link: Link;
  /** As it came: the key that signed it may have been replaced since. */
  readonly selfDescribingId?: string;
}

async function answerCallback(
  request: Request,
  env: Env,
  { client, intent, link, selfDescribingId }: Found,
  railId: string,
): Promise<Response> {
  const attempt = intent.attempts[link.attemptIndex];
  if (attempt === undefined || attempt.railId !== railId) {
    return unknownPage(request);
  }
  const rail = railOf(env, intent.terms, attempt);
  if (rail === null) {
    await reportRefused(client, intent, attempt, 'not_configured');
    // Not the rail's fault: it may say it again when an operator has put the settings back.
    return new Response('Not available', { status: 503 });
  }
  const made = await railOrder(env, client.objectId, intent, attempt);
  const order = selfDescribingId === undefined ? made : { ...made, selfDescribingId };
  const result = await rail.handleCallback(request, order);
  if (result.type === 'refused') {
    await reportRefused(client, intent, attempt, result.suspicion);
    return result.answer;
  }
  const executed = await storeResult(env, client, commandsFor(result, attempt.id, intent));
  if (executed?.type === 'not_found') {
    return unknownPage(request);
  }
  // Settled before, by somebody else: the customer must see how, not what was clicked now.
  const isKnown = executed !== null && executed.rejection !== 'attempt_not_pending';
  const customerUrl = isKnown
    ? customerUrlAfter(result, executed.intent, order.checkoutUrl)
    : order.checkoutUrl;
  return result.answer({ customerUrl });
}

/** Visible to the operator: in the log, and on the payment. */
async function reportRefused(
  client: IntentClient,
  intent: Intent,
  attempt: Attempt,
  // Not configured: settings were taken away, or exchanged, while the attempt was under way.
  suspicion: CallbackSuspicion | 'not_configured',
): Promise<void> {
  const { uuid } = intent.terms;
  log('warn', 'rail_callback_refused', { uuid, rail: attempt.railId, suspicion });
  // The simulator's page is ours: a form of it that cannot be read is nobody's attack.
  if (attempt.railId !== simulator.id) {
    await client.execute([{ type: 'report_callback', attemptId: attempt.id }]);
  }
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
