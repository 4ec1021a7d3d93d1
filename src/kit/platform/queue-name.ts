const NAMES = /^kefel-(?:webhooks|webhook-retries|provider-reports)(?:-dead)?(?=-|$)/;

/**
 * The name in wrangler.toml of a queue. A deployment beside production has its own name at the end of
 * each queue's: `kefel-webhooks-staging` (scripts/deployment/names.ts).
 */
export function plainQueueName(queue: string): string {
  return NAMES.exec(queue)?.[0] ?? queue;
}
