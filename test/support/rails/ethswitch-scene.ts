import { readFileSync } from 'node:fs';
import type { ReceivedCall } from '../../../scripts/stand-ins/stand-in.ts';
import type { Outcome } from '../../../src/engine/domain/attempt.ts';
import type { CallbackCall, CallbackReading } from '../../../src/engine/rails/callback.ts';
import { callbackCall } from './callback-call.ts';

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

/** A callback from this machine, where the stand-ins run. */
export function callbackRequest(body: string, contentType = 'application/json'): CallbackCall {
  const headers = { 'content-type': contentType, 'cf-connecting-ip': '127.0.0.1' };
  return callbackCall({ headers, body });
}

export function outcomeOf(result: CallbackReading | undefined): Outcome | string | undefined {
  switch (result?.type) {
    case undefined:
      return undefined;
    case 'outcome':
      return result.outcome;
    case 'inconclusive':
      return result.type;
    case 'refused':
      return result.suspicion;
  }
}
