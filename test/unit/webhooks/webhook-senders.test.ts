import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { forward } from '../../../clients/cli/forward.ts';
import { signTestWebhook } from '../../../clients/typescript/kefel.ts';
import { channelsOf } from '../../../src/control/alerts/channels.ts';
import { sendSigned } from '../../../src/engine/webhooks/send.ts';
import { useMerchantServers } from '../../support/merchant-server.ts';
import { environment } from '../../support/webhook-consumer.ts';

/**
 * Goal: a receiver that decodes a body by its `content-type`, as a servlet's reader does, gets the
 * signed text from every sender. Method: such a receiver on a real socket.
 */

const merchant = useMerchantServers();
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const ENV = environment(null, null, { PUBLIC_BASE_URL: 'https://pay.example.com' });
const BODY = JSON.stringify({ description: 'ቡና' });

const SENDERS: Record<string, (url: URL) => Promise<unknown>> = {
  'events, resent events and test events': ({ href }) =>
    sendSigned(ENV, {
      destination: href,
      ownOrigin: 'https://pay.example.com',
      eventId: 'evt_1',
      requestBody: BODY,
      secrets: [SECRET],
      signatureHeader: null,
    }),
  'the webhook of alerts': async ({ href }) => {
    const env = { ...ENV, ALERT_WEBHOOK: `${href} ${SECRET}`, ALERT_LANGUAGE: 'am' };
    const webhook = channelsOf(env).find(({ name }) => name === 'webhook');
    await webhook?.send({ id: 'evt_1', kind: 'new', atMs: 0, subjects: [] });
  },
  'kefel listen --forward-to': ({ href }) => forward({ id: 'evt_1', body: BODY }, href, SECRET),
  'a signed test webhook of the TypeScript client': async (url) => {
    const { rawBody, headers } = await signTestWebhook(
      { event: 'PAYMENT_SUCCESS', uniqueId: 'ቡና-1' },
      SECRET,
    );
    await fetch(url, { method: 'POST', headers, body: rawBody });
  },
};

test.each(Object.entries(SENDERS))('%s: the text arrives as it was signed', async (_name, send) => {
  let text = '';
  let headers: Record<string, string> = {};
  const url = await merchant(async (request, response) => {
    headers = request.headers as Record<string, string>;
    // A servlet's default charset.
    const [, charset = 'latin1'] = /charset=([\w-]+)/.exec(headers['content-type'] ?? '') ?? [];
    text = new TextDecoder(charset).decode(await buffer(request));
    response.writeHead(204).end();
  });
  await send(url);
  expect(text).toMatch(/\p{Script=Ethiopic}/u);
  expect(new Webhook(SECRET).verify(text, headers)).toEqual(JSON.parse(text));
});
