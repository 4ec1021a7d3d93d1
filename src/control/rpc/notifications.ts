import { qrCode } from '../../engine/checkout/qr.ts';
import { MESSAGE_LANGUAGES, shownUrl, WIRE_EVENT_TYPES } from '../../engine/webhooks/endpoints.ts';
import {
  type AskedEndpoint,
  askToConnect,
  confirmAddress,
  readConnection,
} from '../../engine/webhooks/people/connections.ts';
import { sendEmail } from '../../engine/webhooks/people/email.ts';
import {
  isEmailAddress,
  messageBotOf,
  messageMailboxOf,
  type TelegramBot,
} from '../../engine/webhooks/people/settings.ts';
import { askForUpdates, botName } from '../../engine/webhooks/people/telegram.ts';
import { MESSAGE_TEXTS } from '../../engine/webhooks/people/texts.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import type { Tenant } from '../../kit/tenant.ts';
import { byMember, type MemberCall } from './member.ts';
import type { Plane } from './plane.ts';
import { merchant } from './settings.ts';

/** Connecting people to a merchant's payments: chats of Telegram, and e-mail (docs/notifications.md). */

/** The ways that the operator has set up. */
export function ways({ env }: Plane) {
  return {
    telegram: isSetUp(() => messageBotOf(env)),
    email: isSetUp(() => messageMailboxOf(env)),
  };
}

export type Ways = ReturnType<typeof ways>;

function isSetUp(read: () => object | null): boolean {
  try {
    return read() !== null;
  } catch (error) {
    log('error', 'message_settings_unreadable', { error: errorText(error) });
    return false;
  }
}

/** The form. `address`: null for Telegram. */
export interface TypedConnection {
  readonly address: string | null;
  readonly language: string;
  readonly eventTypes: readonly string[];
  readonly isToldNeeds: boolean;
  /** Of one link; empty: all payments. */
  readonly paymentLinkUniqueId: string;
  /** Of one till: the member, and the name that the team knows them by. Absent: all payments. */
  readonly till?: { readonly id: string; readonly name: string } | undefined;
}

export type Asked =
  | { readonly type: 'asked'; readonly id: string }
  /**
   * `nothing`: no event is chosen. `busy`: too many requests wait. `unreachable`: the operator's bot or
   * mail server does not answer, or is not set up.
   */
  | { readonly type: 'nothing' | 'address' | 'busy' | 'unreachable' };

/** Asks for a code. A mail has it at once; for Telegram, the page shows a link with it. */
export const connect = byMember(
  async (by, typed: TypedConnection, ownOrigin: string): Promise<Asked> => {
    const settings = settingsIn(typed);
    if (settings.eventTypes.length === 0 && !settings.isToldNeeds) {
      return { type: 'nothing' };
    }
    return typed.address === null
      ? connectTelegram(by, settings, by.config.publicBaseUrl ?? ownOrigin)
      : connectEmail(by, settings, typed.address);
  },
);

function settingsIn({ till, ...typed }: TypedConnection): AskedEndpoint {
  const link = typed.paymentLinkUniqueId === '' ? null : typed.paymentLinkUniqueId;
  return {
    language: MESSAGE_LANGUAGES.find((one) => one === typed.language) ?? 'en',
    eventTypes: WIRE_EVENT_TYPES.filter((type) => typed.eventTypes.includes(type)),
    description: '',
    paymentLinkUniqueId: link,
    ...(till && { tillId: till.id, tillName: till.name }),
    // Who sees one link's or till's payments need not know of the merchant's keys.
    isToldNeeds: typed.isToldNeeds && link === null && till === undefined,
  };
}

async function connectTelegram(
  by: MemberCall,
  settings: AskedEndpoint,
  origin: string,
): Promise<Asked> {
  const bot = ways(by).telegram ? messageBotOf(by.env) : null;
  // Each time, so that a new token or address needs no command.
  const isReady =
    bot !== null && (await nameOf(bot)) !== null && (await askForUpdates(bot, origin));
  if (!isReady) {
    return { type: 'unreachable' };
  }
  const asked = await askToConnect(by, settings, null);
  return asked === null ? { type: 'busy' } : { type: 'asked', id: asked.id };
}

async function connectEmail(
  by: MemberCall,
  settings: AskedEndpoint,
  address: string,
): Promise<Asked> {
  if (!isEmailAddress(address)) {
    return { type: 'address' };
  }
  const mailbox = ways(by).email ? messageMailboxOf(by.env) : null;
  if (mailbox === null) {
    return { type: 'unreachable' };
  }
  const asked = await askToConnect(by, settings, address);
  if (asked === null) {
    return { type: 'busy' };
  }
  const { codeTitle, codeText } = MESSAGE_TEXTS[settings.language];
  const name = (await merchant(by, by.tenant.merchantId))?.name ?? '';
  const sent = await sendEmail(mailbox, address, {
    title: codeTitle(asked.code),
    text: codeText(asked.code, name),
  });
  if (sent.type !== 'sent') {
    log('warn', 'message_not_sent', { error: sent.error });
    return { type: 'unreachable' };
  }
  return { type: 'asked', id: asked.id };
}

/** Names of bots do not change, and the page that waits for a chat asks again and again. */
const names = new Map<string, string>();

async function nameOf(bot: TelegramBot): Promise<string | null> {
  const name = names.get(bot.token) ?? (await botName(bot));
  if (name !== null) {
    names.set(bot.token, name);
  }
  return name;
}

/** A request for its page; null when it is unknown, or older than its code. */
export async function connection({ env, nowMs }: Plane, tenant: Tenant, id: string) {
  const known = await readConnection(env, tenant, id, nowMs);
  if (known === null) {
    return null;
  }
  const { code, address, expiresAtMs, triesLeft, endpointId } = known;
  const bot = code === null || endpointId !== null ? null : messageBotOf(env);
  const name = bot && (await nameOf(bot));
  return {
    id,
    expiresAtMs,
    triesLeft,
    endpointId,
    /** Null for Telegram. */
    address: address && shownUrl(address),
    /** Where a person or a group gives the code; null for e-mail, and once it is used. */
    links: name === null ? null : linksOf(name, code),
  };
}

/** `code`: as an SVG of the link, for a phone beside the screen. */
function linksOf(name: string, code: string | null) {
  const person = `https://t.me/${name}?start=${code}`;
  return { person, group: `https://t.me/${name}?startgroup=${code}`, code: qrCode(person) };
}

export type ShownConnection = NonNullable<Awaited<ReturnType<typeof connection>>>;

/** The code of a mail. */
export const confirm = byMember((by, id: string, code: string) => confirmAddress(by, id, code));
