import { answerCallback, callbackTarget } from '../attempts/callback.ts';
import { readBytes } from '../http/read-bytes.ts';
import { log } from '../platform/log.ts';
import type { CallbackCall, CallbackReply } from '../rails/callback.ts';
import { unknownPage } from './notices.ts';
import { pathSegment, verifiedLink } from './open-link.ts';

/** Callbacks have a few hundred bytes, those of telebirr's USSD a few more. */
const CALLBACK_BYTES_MAX = 64 * 1024;

/**
 * POST /rails/:rail/:token: a provider reports an attempt at the unguessable URL that we gave it.
 * Only this file handles callbacks as HTTP; all code behind it receives data.
 */
export async function handleRailCallback(request: Request, env: Env): Promise<Response> {
  const link = await verifiedLink(request, env, 'attempt', pathSegment(request, 2));
  if (link instanceof Response) {
    return link;
  }
  // Read before the payment's object is called, which can be slow: the provider may disconnect.
  const call = await callbackCall(request);
  if (call === null) {
    return tooLarge();
  }
  const target = await callbackTarget(env, link, pathSegment(request, 1));
  const reply = target && (await answerCallback(env, target, call));
  return reply === null ? unknownPage(request) : responseOf(reply);
}

/** POST /rails/:rail/refunds/:token: a provider reports a refund at its unguessable URL. */
export async function handleRefundCallback(request: Request, env: Env): Promise<Response> {
  const link = await verifiedLink(request, env, 'refund', pathSegment(request, 3));
  if (link instanceof Response) {
    return link;
  }
  const call = await callbackCall(request);
  if (call === null) {
    return tooLarge();
  }
  const { answerRefundCallback } = await import('../refunds/callback.ts');
  const reply = await answerRefundCallback(env, link, pathSegment(request, 1), call);
  return reply === null ? unknownPage(request) : responseOf(reply);
}

/** A provider reports every attempt to the one URL that is registered with it, below /rails/:rail. */
export async function handleSharedCallback(request: Request, env: Env): Promise<Response> {
  const call = await callbackCall(request);
  if (call === null) {
    return tooLarge();
  }
  const { answerSharedCallback } = await import('../attempts/shared-callback.ts');
  const reply = await answerSharedCallback(env, pathSegment(request, 1), call);
  return reply === null ? unknownPage(request) : responseOf(reply);
}

/** Null when the body is too large. */
async function callbackCall(request: Request): Promise<CallbackCall | null> {
  const body = await readBytes(request, CALLBACK_BYTES_MAX);
  return (
    body && {
      method: request.method,
      url: new URL(request.url),
      headers: Object.fromEntries(request.headers),
      body,
    }
  );
}

function tooLarge(): Response {
  log('warn', 'rail_callback_refused', { suspicion: 'unreadable' });
  return new Response('Too large', { status: 413 });
}

function responseOf({ status, headers, body }: CallbackReply): Response {
  return new Response(body, { status, headers });
}
