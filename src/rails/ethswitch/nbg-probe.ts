import { probedNoToken, probing } from '../probe.ts';
import type { ProbeResult } from '../rail.ts';
import { tokenSource, tokens } from './nbg-token.ts';
import type { NbgSettings } from './settings.ts';

const LOGIN_TIMEOUT_MS = 10_000;

/** A login, because NBG has no query. Only an order, which NBG would keep open, proves the biller. */
export async function probe(settings: NbgSettings): Promise<ProbeResult> {
  const login = await tokens.fresh(tokenSource(settings, () => LOGIN_TIMEOUT_MS));
  return login.type === 'token'
    ? probing('login', 200)('accepted', ['billerBin', 'callbackAddresses'])
    : probedNoToken(login, ['username', 'password', 'baseUrl'], 'login');
}
