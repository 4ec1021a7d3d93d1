import { postJson, type RailAnswer } from '../call-rail.ts';
import { jsonObject } from '../members.ts';
import { hashOf } from './seal.ts';
import type { CbeBirrSettings } from './settings.ts';

const QUERY_TIMEOUT_MS = 10_000;

/** Asks CBE about the state of a transaction. */
export async function queryState(
  settings: CbeBirrSettings,
  transactionId: string,
): Promise<RailAnswer> {
  const { secret, tillCode } = settings;
  const Signiture = await hashOf({ Key: secret, Tillcode: tillCode, transactionId });
  return postToBank(settings, 'TXNSTAT', { transactionId, Tillcode: tillCode, Signiture });
}

/** The encrypted report in the answer. Null for plain text, as about an unknown transaction. */
export function sealedIn(answer: RailAnswer): string | null {
  const sealed = answer.status === 200 ? jsonObject(answer.text)?.EncryptedResponseValue : null;
  return typeof sealed === 'string' ? sealed : null;
}

/** Posts to one of the calls of CBE's API. */
export function postToBank(
  { statusBaseUrl, baseUrl, through }: CbeBirrSettings,
  call: string,
  body: Readonly<Record<string, string>>,
): Promise<RailAnswer> {
  const url = `${statusBaseUrl ?? baseUrl}/api/cbebpg/${call}`;
  return postJson({ through }, url, body, QUERY_TIMEOUT_MS);
}
