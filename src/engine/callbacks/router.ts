import { type LinkPurpose, verifyLink } from '../../kit/crypto/link-token.ts';
import type { Problem } from '../../kit/http/problem.ts';
import { readBytes } from '../../kit/http/read-bytes.ts';
import { AreaRouter, type Handler, methodNotAllowed } from '../../kit/http/router.ts';
import { log } from '../../kit/platform/log.ts';
import { configOf } from '../config.ts';
import { type CallbackCall, type CallbackReply, retryReply, textReply } from '../rails/callback.ts';
import { CALLBACK_ROUTES } from '../rails/registry.ts';
import { answerCallback, callbackTarget, refusalOverLimit } from './attempt.ts';

/** Callbacks have a few hundred bytes, those of telebirr's USSD a few more. */
const CALLBACK_BYTES_MAX = 64 * 1024;
/** When a provider may repeat a report that met a failure on our side. */
const FAILURE_RETRY_SECONDS = 5;

const UNKNOWN = textReply(404, 'Unknown callback');

/** The simulator's form posts to a rail's address, but a customer sends it, and gets a page. */
const CALLBACK = /^\/rails\/(?!simulator\/)/;

export function isCallback({ pathname }: URL): boolean {
  return CALLBACK.test(pathname);
}

/**
 * The addresses that providers report to. Only this file handles callbacks as HTTP; all code behind
 * it receives data. Every answer is plain text, because a provider's server reads no page.
 */
export const callbackRouter = new AreaRouter({
  refuse,
  failureEvent: 'callback_failed',
  outageEvent: 'callback_failed',
  refusalEvent: null,
});

callbackRouter.post('/rails/:rail/:token', ofAttempt());
callbackRouter.post('/rails/:rail/refunds/:token', ofRefund());
for (const { railId, verbs, sharedPath } of CALLBACK_ROUTES) {
  for (const verb of verbs) {
    if (verb !== 'POST') {
      callbackRouter.on(verb, `/rails/${railId}/:token`, ofAttempt(railId));
    }
    if (sharedPath !== undefined) {
      callbackRouter.on(verb, `/rails/${railId}${sharedPath}`, atSharedAddress(railId));
    }
  }
}

/** A provider reports an attempt at the unguessable URL that we gave it. */
function ofAttempt(railId?: string): Handler {
  return toTheEnd(async (request, env, _ctx, params) => {
    const { rail = railId ?? '', token = '' } = params();
    const link = await verifiedLink(env, 'attempt', token);
    return 'status' in link
      ? responseOf(link)
      : withCall(request, async (call) => {
          const target = await callbackTarget(env, link, rail);
          return target && answerCallback(env, target, call);
        });
  });
}

/** A provider reports a refund at its unguessable URL. */
function ofRefund(): Handler {
  return toTheEnd(async (request, env, _ctx, params) => {
    const { rail = '', token = '' } = params();
    const link = await verifiedLink(env, 'refund', token);
    return 'status' in link
      ? responseOf(link)
      : withCall(request, async (call) => {
          const { answerRefundCallback } = await import('./refund.ts');
          return answerRefundCallback(env, link, rail, call);
        });
  });
}

/** A provider reports every attempt to the one URL that is registered with it. */
function atSharedAddress(railId: string): Handler {
  return toTheEnd((request, env) =>
    withCall(request, async (call) => {
      const { answerSharedCallback } = await import('./shared-address.ts');
      return answerSharedCallback(env, railId, call);
    }),
  );
}

/** A callback is processed completely even if the provider disconnects before the response. */
function toTheEnd(handler: Handler): Handler {
  return (request, env, ctx, ...more) => {
    const answered = handler(request, env, ctx, ...more);
    ctx.waitUntil(answered.catch(() => undefined));
    return answered;
  };
}

/** The link if we signed it and it is within the rate limit, or else the refusal. */
async function verifiedLink(env: Env, purpose: LinkPurpose, token: string) {
  const link = await verifyLink(configOf(env).linkSigningKeys, purpose, token);
  return link === null ? UNKNOWN : ((await refusalOverLimit(env, token)) ?? link);
}

/** The body is read before any payment's object, which can be slow: the provider may disconnect. */
async function withCall(
  request: Request,
  answer: (call: CallbackCall) => Promise<CallbackReply | null>,
): Promise<Response> {
  const { method } = request;
  const body = await readBytes(request, CALLBACK_BYTES_MAX);
  if (body === null) {
    log('warn', 'rail_callback_refused', { suspicion: 'unreadable' });
    return responseOf(textReply(413, 'Too large'));
  }
  const headers = Object.fromEntries(request.headers);
  const call = { method, url: new URL(request.url), headers, body };
  return responseOf((await answer(call)) ?? UNKNOWN);
}

function refuse(_request: Request, problem: Problem): Response {
  switch (problem.status) {
    case 404:
      return responseOf(UNKNOWN);
    case 405:
      return methodNotAllowed(problem);
    default:
      return responseOf(retryReply(503, 'Not available', FAILURE_RETRY_SECONDS));
  }
}

function responseOf(reply: CallbackReply): Response {
  return new Response(reply.body, reply);
}
