import { sandboxAccessOf } from './access.ts';
import type { Command } from './command.ts';
import { sandboxEvents } from './event-stream.ts';
import {
  type ForwardedEvent,
  forward,
  forwardingSecret,
  forwardingUrl,
  reasonOf,
} from './forward.ts';
import { print, printNote } from './output.ts';

export const listen: Command = {
  arguments: '',
  argumentsMin: 0,
  argumentsMax: 0,
  summary: "Print the sandbox's events as they happen, and forward them to your machine",
  about: `Forwarded events are signed with the secret that is printed first. It stays the same for a key.
An event is forwarded once: send it again with kefel resend ID --forward-to URL.`,
  options: {
    'forward-to': { value: 'URL', about: 'your server: http://localhost:3000/webhooks' },
    after: { value: 'ID', about: 'begin after this event instead of now: evt_…' },
    body: { value: null, about: 'print the payment of each event too' },
  },
  async run(given) {
    const access = await sandboxAccessOf(given);
    const target = given.text('forward-to');
    const url = target === undefined ? null : forwardingUrl(target);
    const secret = forwardingSecret(access.apiKey);
    for await (const news of sandboxEvents(access, given.text('after'))) {
      switch (news.type) {
        case 'ready':
          if (url !== null) {
            print(`Forwarding to ${url}, signed with ${secret}`);
          }
          print(`Listening to the sandbox of ${access.baseUrl}. Ctrl-C stops it.`);
          break;
        case 'lost':
          printNote(`Connection lost (${reasonOf(news.error)}); connecting again…`);
          break;
        case 'resumed':
          printNote('Connected again; no event is lost.');
          break;
        case 'event':
          print(accountOf(news.event, given.has('body')));
          if (url !== null) {
            print(indented(`→ ${await forward(news.event, url, secret)}`));
          }
          break;
      }
    }
  },
};

/** `PAYMENT_SUCCESS  order-1001  evt_…`, and with `isWhole` the payment. */
function accountOf({ id, body }: ForwardedEvent, isWhole: boolean): string {
  const { webHookEvent, paymentIntentUniqueId, body: payment } = JSON.parse(body);
  const line = `${webHookEvent}  ${paymentIntentUniqueId}  ${id}`;
  return isWhole ? `${line}\n${indented(JSON.stringify(JSON.parse(payment), null, 2))}` : line;
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ');
}
