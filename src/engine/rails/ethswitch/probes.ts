import { integerOf, jsonObject } from '../members.ts';
import { newReference, probedNoToken, probing } from '../probe.ts';
import type { ProbeResult } from '../rail.ts';
import { cardsCode, queryOrder, STATUS_CALL } from './cards-call.ts';
import { ORDER_NOT_FOUND } from './cards-status.ts';
import { tokenSource, tokens } from './nbg-token.ts';
import type { CardsSettings, NbgSettings } from './settings.ts';

/** `errorCode`: access denied, or the password must be changed. */
const ACCESS_DENIED = 5;

/** A status query about an order that does not exist: the gateway must not find it. */
export async function probeCards(settings: CardsSettings): Promise<ProbeResult> {
  const answer = await queryOrder(settings, { reference: newReference(), railReference: null });
  const errorCode = answer.status === 200 ? integerOf(jsonObject(answer.text)?.errorCode) : null;
  const query = probing(STATUS_CALL, answer.status, cardsCode(answer.text));
  switch (errorCode) {
    case ORDER_NOT_FOUND:
      return query('accepted');
    case ACCESS_DENIED:
      return query('refused', ['userName', 'password']);
    default:
      return query();
  }
}

const LOGIN_TIMEOUT_MS = 10_000;

/** A login, because NBG has no query. Only an order, which NBG would keep open, proves the biller. */
export async function probeNbg(settings: NbgSettings): Promise<ProbeResult> {
  const login = await tokens.fresh(tokenSource(settings, () => LOGIN_TIMEOUT_MS));
  return login.type === 'token'
    ? probing('login', 200)('accepted', ['billerBin', 'callbackAddresses'])
    : probedNoToken(login, ['username', 'password', 'baseUrl'], 'login');
}
