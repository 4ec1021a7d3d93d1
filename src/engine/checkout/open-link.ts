import { type Link, type LinkPurpose, verifyLink } from '../../kit/crypto/link-token.ts';
import { isWithinLimit } from '../../kit/http/rate-limit.ts';
import type { Handler } from '../../kit/http/router.ts';
import { configOf } from '../config.ts';
import type { Intent } from '../domain/intent.ts';
import { type IntentClient, intentByName } from '../intent/client.ts';
import { busyPage, unknownPage } from './notices.ts';

/** A request with a link that we signed, and the payment behind the link. */
export interface LinkCall {
  readonly request: Request;
  readonly env: Env;
  readonly ctx: ExecutionContext;
  readonly params: Readonly<Record<string, string>>;
  readonly token: string;
  readonly link: Link;
  readonly client: IntentClient;
  readonly intent: Intent;
}

/**
 * A route whose `:token` leads to a payment. The token is verified before any object is called, so
 * a guessed token reaches and creates nothing (docs/promises.md#8). `gonePage`: what it answers once
 * the payment is deleted.
 */
export function behindLink(
  purpose: LinkPurpose,
  page: (call: LinkCall) => Promise<Response>,
  gonePage: (request: Request) => Promise<Response> = unknownPage,
): Handler {
  return async (request, env, ctx, pathParams) => {
    const params = pathParams();
    const token = params.token ?? '';
    const link = await verifiedLink(request, env, purpose, token);
    if (link instanceof Response) {
      return link;
    }
    const client = intentByName(env, link.objectName);
    const intent = await client.read();
    return intent === null
      ? gonePage(request)
      : page({ request, env, ctx, params, token, link, client, intent });
  };
}

/** The link if we signed it and it is within the rate limit, or else the page that says why not. */
export async function verifiedLink(
  request: Request,
  env: Env,
  purpose: LinkPurpose,
  token: string,
): Promise<Link | Response> {
  const config = configOf(env);
  const link = await verifyLink(config.linkSigningKeys, purpose, token);
  if (link === null) {
    return unknownPage(request);
  }
  return (await isWithinLimit(config, env.CHECKOUT_RATE_LIMIT, token)) ? link : busyPage(request);
}
