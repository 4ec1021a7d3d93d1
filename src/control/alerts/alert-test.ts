import { type Actor, record } from '../../kit/audit/log.ts';
import { oneOf } from '../../kit/http/fields.ts';
import { problem } from '../../kit/http/problem.ts';
import { isWithinLimit } from '../../kit/http/rate-limit.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import { outageBehind } from '../../kit/platform/unavailable.ts';
import { callOf, entryBy, type Gateway, type Target } from '../operator/call.ts';
import { pathPart } from '../operator/fields.ts';
import { alertsOf } from './ask.ts';
import { CHANNEL_NAMES, type ChannelName } from './config.ts';

/** The period of RAIL_PROBE_RATE_LIMIT. */
const TEST_PERIOD_SECONDS = 60;

export interface TestedChannel {
  readonly channel: ChannelName;
  readonly isSent: boolean;
  /** Why it was not sent. No secret. */
  readonly error: string | null;
}

/**
 * Sends the operator a test message by the channel that the path names. Problem 404 for another one,
 * 429 after a few tests in a minute. While D1 fails, the log has what the audit log misses: this is
 * when operators must know whether alerts reach them, and the message is all that a test changes.
 */
export async function testAlertChannel(
  gateway: Gateway,
  by: Actor,
  target: Target,
): Promise<TestedChannel> {
  const call = callOf(gateway, by);
  const channel = pathPart(oneOf(CHANNEL_NAMES), target.channel);
  const { env, config } = call;
  if (!(await isWithinLimit(config, env.RAIL_PROBE_RATE_LIMIT, `alert/${channel}`))) {
    throw problem('too_many_requests', { retryAfterSeconds: TEST_PERIOD_SECONDS });
  }
  const entry = { merchantId: null, environment: null, target: channel } as const;
  const requested = entryBy(call, { ...entry, action: 'alert.test_requested' });
  await record(env.DB, requested).catch((error: unknown) => {
    if (outageBehind(error) === null) {
      throw error;
    }
    log('warn', 'alert_test_not_recorded', { channel, error: errorText(error) });
  });
  const sent = await alertsOf(env).testChannel(channel);
  const isSent = sent.type === 'sent';
  return { channel, isSent, error: isSent ? null : sent.error };
}
