import type { RailAnswer } from '../call-rail.ts';
import { jsonObject } from '../members.ts';
import { newReference, probing } from '../probe.ts';
import type { ProbeResult } from '../rail.ts';
import { postToBank, queryState, sealedIn } from './query.ts';
import type { Seal } from './seal.ts';
import type { CbeBirrSettings } from './settings.ts';

/** CBE's own call to try the cipher: it answers the name, encrypted. */
const TRY_CALL = 'CheckMeENC';
const NAME = 'Kefel';

/** The secret, or a till that CBE does not know by it. */
const SECRET = ['secret', 'tillCode'];

/** Only CBE's page, where customers pay, proves them. */
const UNPROVED = ['user', 'password', 'paidStates'];

/**
 * A status query about a transaction that does not exist. CBE often answers it with plain text; then
 * an encrypted answer to `CheckMeENC` must prove that both sides have the same secret.
 */
export async function probe(settings: CbeBirrSettings, seal: Seal): Promise<ProbeResult> {
  const answer = await queryState(settings, newReference());
  const sealed = sealedIn(answer);
  if (sealed !== null) {
    // About an unknown transaction, CBE may leave out what a report has.
    return judged('TXNSTAT', answer, jsonObject(seal.open(sealed) ?? '') !== null);
  }
  const plain = probing('TXNSTAT', answer.status)(undefined, SECRET);
  if (plain.outcome !== 'reached') {
    return { ...plain, settings: ['baseUrl', 'statusBaseUrl'] };
  }
  const tried = await postToBank(settings, TRY_CALL, { MName: NAME, tillCode: settings.tillCode });
  const texts = sealedTexts(tried);
  // Without an encrypted text, CBE's answers prove nothing about the credentials.
  return texts.length === 0
    ? plain
    : judged(
        TRY_CALL,
        tried,
        texts.some((text) => seal.open(text)?.includes(NAME)),
      );
}

function judged(call: string, answer: RailAnswer, isOpened: boolean): ProbeResult {
  const judge = probing(call, answer.status);
  return isOpened ? judge('accepted', UNPROVED) : judge('refused', SECRET);
}

/** Base64 of whole blocks in the answer. One client drops three characters before it. */
function sealedTexts(answer: RailAnswer): readonly string[] {
  if (answer.status !== 200) {
    return [];
  }
  const text = answer.text.trim();
  const values = Object.values(jsonObject(text) ?? { text: text.replaceAll('"', '') });
  return values
    .filter((value) => typeof value === 'string')
    .flatMap((value) => [value, value.slice(3)])
    .filter((value) => /^[A-Za-z0-9+/]{10,}={0,2}$/.test(value) && value.length % 4 === 0);
}
