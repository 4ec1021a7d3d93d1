import { configOf } from '../config.ts';
import { type Link, type LinkPurpose, verifyLink } from '../crypto/link-token.ts';
import type { Intent } from '../domain/intent.ts';
import { isWithinLimit } from '../http/rate-limit.ts';
import { type IntentClient, intentByObjectId } from '../intent/client.ts';
import { busyPage, unknownPage } from './notices.ts';

/** A link that we signed, and the payment behind it. */
export interface OpenedLink {
  readonly token: string;
  readonly link: Link;
  readonly client: IntentClient;
  readonly intent: Intent;
}

/** The link in the path if we signed it and it is not used too fast, or the page that says why not. */
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

/**
 * The payment behind the token in the path, or the page that says why not. The token is verified
 * before any object is touched, so guessing reaches and creates nothing (docs/promises.md#8).
 */
export async function openLink(
  request: Request,
  env: Env,
  purpose: LinkPurpose,
  token: string,
): Promise<OpenedLink | Response> {
  const link = await verifiedLink(request, env, purpose, token);
  if (link instanceof Response) {
    return link;
  }
  const client = intentByObjectId(env, link.objectId);
  const read = await client.read();
  return read.type === 'not_found'
    ? unknownPage(request)
    : { token, link, client, intent: read.intent };
}

/** A segment of the request's path: 0 is the one after the first slash. */
export function pathSegment(request: Request, index: number): string {
  return new URL(request.url).pathname.split('/')[index + 1] ?? '';
}
