import * as v from 'valibot';
import {
  jsonReply,
  type ReceivedCall,
  type Reply,
  StandInServer,
} from '../../../scripts/stand-ins/stand-in.ts';
import {
  startTelebirrH5StandIn,
  type TelebirrH5StandIn,
} from '../../../scripts/stand-ins/telebirr-h5.ts';
import type { Texts } from '../../../scripts/stand-ins/telebirr-h5-wire.ts';
import type { Attempt, IntentTerms } from '../../../src/domain/intent.ts';
import type { CallbackCall } from '../../../src/rails/callback.ts';
import type { RailOrder } from '../../../src/rails/rail-order.ts';
import { telebirrH5Rail } from '../../../src/rails/telebirr-h5/rail.ts';
import { telebirrH5Settings } from '../../../src/rails/telebirr-h5/settings.ts';
import { callbackCall } from './callback-call.ts';
import { freshReference, orderFor } from './order.ts';

/** No test waits for it: see `timeouts.ts`. */
export const CALL_TIMEOUT_MS = 10_000;

type TelebirrH5Rail = ReturnType<typeof telebirrH5Rail>;

/** The adapter, telebirr's stand-in, and a receiver of its notifications. */
export interface TelebirrScene {
  readonly telebirr: TelebirrH5StandIn;
  readonly rail: TelebirrH5Rail;
  /** The adapter with some settings changed. */
  railWith(changed: Readonly<Record<string, unknown>>): TelebirrH5Rail;
  /** An order with its own reference and, by default, its own amount. */
  order(changed?: OrderChanges): RailOrder;
  /** The last notification, as a Worker would get it. */
  lastNotification(): CallbackCall;
  stop(): Promise<void>;
}

export interface OrderChanges {
  readonly terms?: Partial<IntentTerms>;
  readonly attempt?: Partial<Attempt>;
  readonly order?: Partial<RailOrder>;
}

/** A rail made of the operator's JSON, as the gateway makes it. */
export function railOf(settings: Readonly<Record<string, unknown>>): TelebirrH5Rail {
  return telebirrH5Rail(v.parse(telebirrH5Settings, settings));
}

export async function telebirrScene(): Promise<TelebirrScene> {
  const telebirr = await startTelebirrH5StandIn();
  const receiver = await StandInServer.start(async () => ({
    type: 'answer',
    status: 200,
    body: '{"code":0,"msg":"success"}',
  }));
  const settings = { ...telebirr.settings, callTimeoutMs: CALL_TIMEOUT_MS };
  const rail = railOf(settings);
  let amountMinor = 150_000;
  return {
    telebirr,
    rail,
    railWith: (changed) => railOf({ ...settings, ...changed }),
    order({ terms, attempt, order } = {}) {
      amountMinor += 1;
      const reference = freshReference();
      return orderFor(rail, 'TELE_BIRR', {
        terms: { amountMinor, ...terms },
        attempt: { reference, ...attempt },
        order: { callbackUrl: `${receiver.baseUrl}/rails/telebirr-h5/${reference}`, ...order },
      });
    },
    lastNotification: () => requestOf(receiver.calls.at(-1)),
    stop: async () => {
      await Promise.all([telebirr.stop(), receiver.stop()]);
    },
  };
}

function requestOf(call: ReceivedCall | undefined): CallbackCall {
  if (call === undefined) {
    throw new Error('no notification arrived');
  }
  return notification(call.body, call.headers['content-type']);
}

export function notification(body: string, contentType = 'application/json'): CallbackCall {
  return callbackCall({ headers: { 'content-type': contentType }, body });
}

/** A telebirr that issues tokens and answers everything else with `reply`. */
export async function scriptedRail(
  settings: Texts,
  reply: () => Reply,
): Promise<{ readonly rail: TelebirrH5Rail; stop(): Promise<void> }> {
  const server = await StandInServer.start(async (call) =>
    call.url.endsWith('/token') ? jsonReply(200, { token: 'Bearer scripted' }) : reply(),
  );
  return {
    rail: railOf({ ...settings, apiBaseUrl: server.baseUrl }),
    stop: () => server.stop(),
  };
}

export type Members = Readonly<Record<string, unknown>>;

/** telebirr's answer of success around this content. */
export function success(content: Members, changed: Members = {}): Reply {
  return jsonReply(200, {
    result: 'SUCCESS',
    code: '0',
    msg: 'success',
    biz_content: content,
    ...changed,
  });
}
