import { sendEmail } from '../../engine/webhooks/people/email.ts';
import {
  failed,
  isRefusal,
  NO_ANSWER,
  type Sent,
  TRY_TIMEOUT_MS,
} from '../../engine/webhooks/people/sent.ts';
import { sendTelegram } from '../../engine/webhooks/people/telegram.ts';
import { standardWebhookHeaders } from '../../engine/webhooks/sign.ts';
import { sendWebhook } from '../../engine/webhooks/transport.ts';
import { errorText } from '../../kit/platform/log.ts';
import {
  type AlertBindings,
  type AlertWebhook,
  alertLanguagesOf,
  type ChannelName,
  emailOf,
  heartbeatUrlOf,
  telegramOf,
  webhookOf,
} from './config.ts';
import { type Links, linksOf, wordsOf } from './message.ts';
import type { Notice } from './notice.ts';
import { wireAlert } from './wire.ts';

export interface Channel {
  readonly name: ChannelName;
  /** What is wrong with its settings, without their values; null: they are well formed. */
  readonly problem: string | null;
  /** Never throws. The error has no secret. */
  send(notice: Notice): Promise<Sent>;
}

/** The channels that the operator has set up. A malformed one refuses each notice. */
export function channelsOf(env: Env & AlertBindings): readonly Channel[] {
  const words = (notice: Notice) => wordsOf(notice, alertLanguagesOf(env), linksOf(env));
  return [
    channel(
      'telegram',
      () => telegramOf(env),
      async ({ chatId, ...bot }, notice) =>
        (await sendTelegram(bot, chatId, words(notice).text)).sent,
    ),
    channel(
      'webhook',
      () => webhookOf(env),
      (webhook, notice) => sendSigned(webhook, notice, linksOf(env), words(notice)),
    ),
    channel(
      'email',
      () => emailOf(env),
      ({ to, ...mailbox }, notice) => sendEmail(mailbox, to, words(notice)),
    ),
  ].flatMap((one) => one ?? []);
}

/** Null when it is not set up. */
function channel<Settings>(
  name: ChannelName,
  read: () => Settings | null,
  send: (settings: Settings, notice: Notice) => Promise<Sent>,
): Channel | null {
  let settings: Settings | null;
  try {
    settings = read();
  } catch (error) {
    const problem = errorText(error);
    return { name, problem, send: async () => ({ type: 'refused', error: problem }) };
  }
  const known = settings;
  return known === null
    ? null
    : {
        name,
        problem: null,
        send: async (notice) => {
          try {
            return await send(known, notice);
          } catch (error) {
            return { type: 'refused', error: errorText(error) };
          }
        },
      };
}

async function sendSigned(
  { url, secret }: AlertWebhook,
  notice: Notice,
  links: Links,
  words: { readonly title: string; readonly text: string },
): Promise<Sent> {
  const requestBody = JSON.stringify(wireAlert(notice, links, words));
  const headers = await standardWebhookHeaders({
    eventId: notice.id,
    timestampSeconds: Math.floor(Date.now() / 1_000),
    requestBody,
    secrets: [secret],
  });
  const answer = await sendWebhook({ url: new URL(url), headers, requestBody }, TRY_TIMEOUT_MS);
  const { httpStatus, retryAfterMs } = answer;
  if (httpStatus !== null && httpStatus >= 200 && httpStatus < 300) {
    return { type: 'sent' };
  }
  const error = answer.error ?? `the receiver answered ${httpStatus}`;
  return isRefusal(httpStatus) ? { type: 'refused', error } : failed(error, retryAfterMs);
}

/** Calls the address whose silence tells an outside monitor that the alerts are dead. Never throws. */
export async function beat(env: AlertBindings): Promise<Sent | null> {
  let url: string | null;
  try {
    url = heartbeatUrlOf(env);
  } catch (error) {
    return failed(errorText(error));
  }
  if (url === null) {
    return null;
  }
  const signal = AbortSignal.timeout(TRY_TIMEOUT_MS);
  try {
    const response = await fetch(url, { redirect: 'manual', signal });
    await response.body?.cancel();
    return response.ok ? { type: 'sent' } : failed(`the monitor answered ${response.status}`);
  } catch {
    // An error of the runtime could quote the address.
    return failed(signal.aborted ? NO_ANSWER : 'connection failed');
  }
}
