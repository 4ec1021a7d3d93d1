/**
 * The wait grows by a minute with each try, up to an hour. All `max_retries` of a queue take about
 * three days. Cloudflare would not keep a message much longer.
 */
const RETRY_SECONDS = 60;
const RETRY_STEPS_MAX = 60;

/** Returns a message to its queue, which must not be lost while a database or an object is away. */
export function retryLater(message: Message): void {
  message.retry({ delaySeconds: Math.min(message.attempts, RETRY_STEPS_MAX) * RETRY_SECONDS });
}
