import type { Kefel } from '../typescript/kefel.ts';
import { accessOf, clientOf } from './access.ts';
import { type Command, UsageError } from './command.ts';
import { forward, forwardingSecret, forwardingUrl } from './forward.ts';
import { print } from './output.ts';
import { timeIn } from './time.ts';

export const resend: Command = {
  arguments: '[ID]',
  argumentsMin: 0,
  argumentsMax: 1,
  summary: 'Send an event again, or all that no endpoint has accepted since a time',
  about: `ID: evt_…, the webhook-id. Without --forward-to the gateway sends to your endpoints.`,
  options: {
    since: { value: 'TIME', about: 'all since then: 30m, 2h, 7d, 2026-11-22T08:00:00Z' },
    'forward-to': { value: 'URL', about: 'to your machine instead, signed as kefel listen does' },
  },
  async run(given) {
    const [id] = given.arguments;
    const since = timeIn(given, 'since');
    const target = given.text('forward-to');
    if ((id === undefined) === (since === undefined)) {
      throw new UsageError(
        'Name one event, or a time: kefel resend evt_…, kefel resend --since 2h',
      );
    }
    const access = await accessOf(given);
    const { events } = clientOf(access);
    if (id === undefined) {
      if (target !== undefined) {
        throw new UsageError('--forward-to sends one event: name its ID');
      }
      await resendSince(events, since ?? new Date());
    } else if (target === undefined) {
      const { deliveries } = await events.resend(id);
      print(`${id}: ${deliveries.map(({ state }) => state).join(', ')}`);
    } else {
      const url = forwardingUrl(target);
      const { payload } = await events.get(id);
      if (payload === null) {
        throw new UsageError(`The payment of ${id} is past its retention: its body is gone.`);
      }
      print(await forward({ id, body: payload }, url, forwardingSecret(access.apiKey)));
    }
  },
};

async function resendSince(events: Kefel['events'], since: Date): Promise<void> {
  let resent = 0;
  let unreachable = 0;
  let cursor: string | null = null;
  try {
    do {
      const batch: Awaited<ReturnType<typeof events.resendUndelivered>> =
        await events.resendUndelivered(since, cursor);
      resent += batch.resent;
      unreachable += batch.unreachable;
      cursor = batch.nextCursor;
    } while (cursor !== null);
  } finally {
    // Also when a later batch fails, because these are under way.
    print(`${resent} sent again`);
  }
  if (unreachable > 0) {
    throw new UsageError(`${unreachable} could not be reached: run this again for them.`);
  }
}
