import { createHash } from 'node:crypto';

/** The deployment that real customers use. Its Workers have the names of the two wrangler.toml. */
export const PRODUCTION = 'production';

/** Short enough for the longest of our names within Cloudflare's 63 characters. */
const DEPLOYMENT_NAME = /^[a-z][a-z0-9-]{0,19}$/;

/** Throws an error that says what a deployment's name may be. */
export function checkDeploymentName(name: string): string {
  // `kefel-webhooks-dead` must not name a deployment's queue: see src/kit/platform/queue-name.ts.
  if (!DEPLOYMENT_NAME.test(name) || name.endsWith('-') || /^dead(?:-|$)/.test(name)) {
    throw new Error(
      `"${name}" cannot name a deployment: use up to 20 small letters, digits and hyphens, such as staging`,
    );
  }
  return name;
}

/** The name of a Worker, database or queue in one deployment: `kefel-staging`. */
export function nameIn(deployment: string, name: string): string {
  return deployment === PRODUCTION ? name : `${name}-${deployment}`;
}

/** Deployments of one account must not share the counters of a rate limit. */
export function namespaceIn(deployment: string, namespaceId: string): string {
  if (deployment === PRODUCTION) {
    return namespaceId;
  }
  const digest = createHash('sha256').update(deployment).digest();
  // Production's ids have four digits, these nine.
  return String(100_000_000 + (digest.readUInt32BE() % 89_999) * 10_000 + Number(namespaceId));
}
