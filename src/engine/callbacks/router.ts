import type { Link } from '../../kit/crypto/link-token.ts';
import { readBytes } from '../../kit/http/read-bytes.ts';
import { log } from '../../kit/platform/log.ts';
import { unknownPage } from '../checkout/notices.ts';
import { pathSegment, verifiedLink } from '../checkout/open-link.ts';
import type { CallbackCall, CallbackReply } from '../rails/callback.ts';
import { answerCallback, callbackTarget } from './attempt.ts';

/** Callbacks have a few hundred bytes, those of telebirr's USSD a few more. */
const CALLBACK_BYTES_MAX = 64 * 1024;

/**
 * POST /rails/:rail/:token: a provider reports an attempt at the unguessable URL that we gave it.
 * Only this file handles callbacks as HTTP; all code behind it receives data.
 */
export function handleRailCallback(request: Request, env: Env): Promise<Response> {
  return withLink(request, env, 'attempt', async (link, railId, call) => {
    const target = await callbackTarget(env, link, railId);
    return target && answerCallback(env, target, call);
  });
}

/** POST /rails/:rail/refunds/:token: a provider reports a refund at its unguessable URL. */
export function handleRefundCallback(request: Request, env: Env): Promise<Response> {
  return withLink(request, env, 'refund', async (link, railId, call) => {
    const { answerRefundCallback } = await import('./refund.ts');
    return answerRefundCallback(env, link, railId, call);
  });
}

/** A provider reports every attempt to the one URL that is registered with it, below /rails/:rail. */
export function handleSharedCallback(request: Request, env: Env): Promise<Response> {
  return withCall(request, async (railId, call) => {
    const { answerSharedCallback } = await import('./shared-address.ts');
    return answerSharedCallback(env, railId, call);
  });
}

/** The token is the last segment of the path. */
async function withLink(
  request: Request,
  env: Env,
  purpose: 'attempt' | 'refund',
  answer: (link: Link, railId: string, call: CallbackCall) => Promise<CallbackReply | null>,
): Promise<Response> {
  const token = pathSegment(request, purpose === 'attempt' ? 2 : 3);
  const link = await verifiedLink(request, env, purpose, token);
  return link instanceof Response
    ? link
    : withCall(request, (railId, call) => answer(link, railId, call));
}

/** The body is read before any payment's object, which can be slow: the provider may disconnect. */
async function withCall(
  request: Request,
  answer: (railId: string, call: CallbackCall) => Promise<CallbackReply | null>,
): Promise<Response> {
  const { method } = request;
  const body = await readBytes(request, CALLBACK_BYTES_MAX);
  if (body === null) {
    log('warn', 'rail_callback_refused', { suspicion: 'unreadable' });
    return new Response('Too large', { status: 413 });
  }
  const headers = Object.fromEntries(request.headers);
  const call = { method, url: new URL(request.url), headers, body };
  const reply = await answer(pathSegment(request, 1), call);
  return reply === null ? unknownPage(request) : new Response(reply.body, reply);
}
