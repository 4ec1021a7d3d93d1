import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { onTestFinished } from 'vitest';
import { startEthswitchCardsStandIn } from '../../../scripts/stand-ins/ethswitch-cards.ts';
import { startNbgStandIn } from '../../../scripts/stand-ins/ethswitch-nbg.ts';
import {
  type ReceivedCall,
  type Reply,
  StandInServer,
} from '../../../scripts/stand-ins/stand-in.ts';
import type { Outcome } from '../../../src/domain/intent.ts';
import type { CallbackCall, CallbackReading } from '../../../src/rails/callback.ts';
import { cardsRail } from '../../../src/rails/ethswitch/cards.ts';
import { ethswitchRail } from '../../../src/rails/ethswitch/rail.ts';
import { cardsSettings, ethswitchSettings } from '../../../src/rails/ethswitch/settings.ts';
import type { Callbacks, Rail } from '../../../src/rails/rail.ts';
import type { RailOrder } from '../../../src/rails/rail-order.ts';
import { callbackCall } from './callback-call.ts';
import { orderFor } from './order.ts';

/** Shared by both test suites of EthSwitch. */

export function fixture(name: string): string {
  return readFileSync(`test/fixtures/rails/ethswitch/${name}`, 'utf8');
}

/** 1,000 characters that a merchant may write and a provider may mishandle. */
export const HOSTILE_TEXT = 'ቡና \u0000\u001b[31m\r\n"\\</b>%+&=😀👩🏽‍🌾\u202e\u{e0041}\ufeff é'
  .repeat(40)
  .slice(0, 1_000);

/** The headers that a provider gets, without those that `fetch` and HTTP add. */
export function headersOf({ headers }: ReceivedCall): Readonly<Record<string, string>> {
  const transport =
    /^(?:host|connection|user-agent|accept-language|accept-encoding|sec-fetch-mode|content-length)$/;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !transport.test(name)));
}

/** The receiver of a stand-in's callbacks, with the last one as the gateway would get it. */
export interface Receiver {
  readonly callbackUrl: string;
  readonly returnUrl: string;
  last(): CallbackCall;
  stop(): Promise<void>;
}

export async function startReceiver(gateway: 'nbg' | 'cards'): Promise<Receiver> {
  const server = await StandInServer.start(async () => ({
    type: 'answer',
    status: 200,
    body: 'received',
  }));
  return {
    callbackUrl: `${server.baseUrl}/rails/ethswitch-${gateway}/test1.attempt-token`,
    returnUrl: `${server.baseUrl}/checkout/test1.checkout-token/returned`,
    last() {
      const call = server.calls.at(-1);
      if (call === undefined) {
        throw new Error('no callback arrived');
      }
      return callbackRequest(call.body, call.headers['content-type'] ?? '');
    },
    stop: () => server.stop(),
  };
}

/** A callback from this machine, where the stand-ins run. */
export function callbackRequest(body: string, contentType = 'application/json'): CallbackCall {
  const headers = { 'content-type': contentType, 'cf-connecting-ip': '127.0.0.1' };
  return callbackCall({ headers, body });
}

/** A provider with scripted answers, for those that no stand-in would give. */
export function startScripted(
  reply: (call: ReceivedCall) => Reply | Promise<Reply>,
): Promise<StandInServer> {
  return StandInServer.start(async (call) => reply(call));
}

export function railOf(settings: unknown): Rail & Callbacks {
  return ethswitchRail(v.parse(ethswitchSettings, settings));
}

/** The card gateway's adapter, which has a status query. */
export function cardsRailOf(settings: unknown): CardsRail {
  return cardsRail(v.parse(cardsSettings, settings));
}

export type CardsRail = ReturnType<typeof cardsRail>;

/** For one test: the stand-in, an adapter configured for it, and the receiver of its callbacks. */
export async function cardsScene() {
  const [epg, receiver] = await Promise.all([startEthswitchCardsStandIn(), startReceiver('cards')]);
  onTestFinished(async () => {
    await Promise.all([epg.stop(), receiver.stop()]);
  });
  return { epg, rail: cardsRailOf(epg.settings), receiver };
}

/** The same for NBG. */
export async function nbgScene() {
  const [nbg, receiver] = await Promise.all([startNbgStandIn(), startReceiver('nbg')]);
  onTestFinished(async () => {
    await Promise.all([nbg.stop(), receiver.stop()]);
  });
  return { nbg, rail: railOf(nbg.settings), receiver };
}

/** No server listens at this URL. */
const NOWHERE = 'http://localhost:9';

export function cardsSettingsAt(baseUrl = NOWHERE): object {
  return { gateway: 'cards', baseUrl, userName: 'operator-api', password: 'p+w d&é' };
}

export function nbgSettingsAt(baseUrl = NOWHERE): object {
  const account = { username: 'u', password: 'p', billerBin: 'KEFLETAA' };
  return { gateway: 'nbg', baseUrl, ...account, callbackAddresses: [] };
}

/** For one test: `startScripted`. */
export async function scriptedProvider(
  reply: Parameters<typeof startScripted>[0],
): Promise<StandInServer> {
  const server = await startScripted(reply);
  onTestFinished(() => server.stop());
  return server;
}

/** An order whose callbacks and customers go to `receiver`. */
export function orderAt(
  rail: Rail,
  { callbackUrl, returnUrl }: Receiver,
  changed: Parameters<typeof orderFor>[2] = {},
): RailOrder {
  const order = { callbackUrl, returnUrl, ...changed.order };
  return orderFor(rail, 'ETS_SWITCH', { ...changed, order });
}

/** Starts an order, and returns it as the object knows it afterwards. */
export async function started(
  rail: Rail,
  receiver: Receiver,
  changed: Parameters<typeof orderFor>[2] = {},
): Promise<RailOrder> {
  const order = orderAt(rail, receiver, changed);
  const result = await rail.start(order);
  if (result.type !== 'accepted') {
    throw new Error(result.type);
  }
  const { redirectUrl, railReference } = result;
  return { ...order, attempt: { ...order.attempt, redirectUrl, railReference } };
}

export function outcomeOf(result: CallbackReading): Outcome | string {
  switch (result.type) {
    case 'outcome':
      return result.outcome;
    case 'inconclusive':
      return result.type;
    case 'refused':
      return result.suspicion;
  }
}
