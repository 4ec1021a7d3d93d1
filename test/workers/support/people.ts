import { env } from 'cloudflare:workers';
import { afterEach, beforeEach } from 'vitest';
import { updatesSecret } from '../../../src/engine/webhooks/people/telegram.ts';
import { signedIn, submit, visit } from '../dashboard/support.ts';
import { call } from './api.ts';
import { type Arrival, merchantServer } from './deliveries.ts';

/** People who are told of payments: Telegram and a mail server, played here. */

const TOKEN = '123456789:AAFakeTokenOfTheStandIn_0123456789';
const NOTIFICATIONS = '/dashboard/sandbox/notifications';
export const CHAT = 4711;

interface Mail {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Every test has the operator's bot and mailbox. `useDeliveries` comes before it. */
export function usePeople() {
  const people = {
    /** What the chats have, by chat. */
    chats: new Map<string, string[]>(),
    /** Every call of Telegram: the method and its arguments. */
    calls: [] as { readonly method: string; readonly sent: Record<string, unknown> }[],
    mails: [] as Mail[],
    /** What arrived anywhere else. */
    arrivals: [] as Arrival[],
    /** Telegram's answer to a message for this chat, in place of accepting it. */
    refusals: new Map<string, { readonly status: number; readonly parameters?: object }>(),
    mailFails: null as string | null,
    messages: (chat: number | string = CHAT) => people.chats.get(String(chat)) ?? [],
  };

  function telegram({ url, text }: Arrival): Response {
    const method = url.split('/').at(-1) ?? '';
    const sent = JSON.parse(text);
    people.calls.push({ method, sent });
    if (!url.startsWith(`https://api.telegram.org/bot${TOKEN}/`)) {
      return Response.json({ ok: false, error_code: 401 }, { status: 401 });
    }
    const chat = String(sent.chat_id);
    const refusal = people.refusals.get(chat);
    if (method === 'sendMessage' && refusal !== undefined) {
      const { status, parameters } = refusal;
      return Response.json({ ok: false, error_code: status, parameters }, { status });
    }
    if (method === 'sendMessage') {
      people.chats.set(chat, [...people.messages(chat), sent.text]);
    }
    return Response.json({ ok: true, result: { id: 1, username: 'kefel_test_bot' } });
  }

  beforeEach(() => {
    people.chats.clear();
    people.refusals.clear();
    people.mailFails = null;
    for (const list of [people.calls, people.mails, people.arrivals]) {
      list.length = 0;
    }
    Object.assign(env, {
      MESSAGE_TELEGRAM: TOKEN,
      MESSAGE_EMAIL_FROM: 'kefel@example.com',
      MESSAGE_EMAIL: {
        send: async (mail: Mail) => {
          if (people.mailFails !== null) {
            throw Object.assign(new Error('refused'), { code: people.mailFails });
          }
          people.mails.push(mail);
        },
      },
    });
    merchantServer((arrival) => {
      if (new URL(arrival.url).host === 'api.telegram.org') {
        return telegram(arrival);
      }
      people.arrivals.push(arrival);
      return new Response('x');
    });
  });
  afterEach(() => {
    for (const name of ['MESSAGE_TELEGRAM', 'MESSAGE_EMAIL_FROM', 'MESSAGE_EMAIL']) {
      Reflect.deleteProperty(env, name);
    }
  });
  return people;
}

/** Telegram reports something to the bot. */
export async function update(body: unknown, secret?: string): Promise<Response> {
  const token = secret ?? (await updatesSecret({ baseUrl: '', token: TOKEN }));
  return call('/telegram/updates', {
    method: 'POST',
    apiKey: null,
    body: JSON.stringify(body),
    headers: { 'x-telegram-bot-api-secret-token': token },
  });
}

/** A chat sends the code of a link, as its Start button does. Returns what the bot says. */
export async function start(code: string, chat: object = { id: CHAT, first_name: 'Abebe' }) {
  const response = await update({ update_id: 1, message: { chat, text: `/start ${code}` } });
  const said = await response.text();
  return { status: response.status, text: said.startsWith('{') ? JSON.parse(said).text : said };
}

export async function postForm(path: string, fields: Record<string, string>) {
  const response = await submit(await signedIn(), path, fields);
  const html = await response.text();
  return { status: response.status, html, location: response.headers.get('location') ?? '' };
}

/** A member asks for a chat. Returns the address of its page. */
export async function askForChat(fields: Record<string, string> = {}): Promise<string> {
  const { status, location, html } = await postForm(NOTIFICATIONS, {
    way: 'telegram',
    language: 'en',
    eventType: 'PAYMENT_SUCCESS',
    ...fields,
  });
  if (status !== 303) {
    throw new Error(`not asked: ${status} ${html}`);
  }
  return location;
}

export async function codeAt(page: string): Promise<string> {
  const html = await (await visit(await signedIn(), page)).text();
  return /t\.me\/kefel_test_bot\?start=([\w-]{22})"/.exec(html)?.[1] ?? '';
}

/** The whole way of a chat, up to its endpoint. */
export async function connectChat(fields: Record<string, string> = {}, chat?: object) {
  return start(await codeAt(await askForChat(fields)), chat);
}
