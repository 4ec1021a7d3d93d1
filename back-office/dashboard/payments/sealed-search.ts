import { SEARCH_LENGTH_MAX } from '../../../src/engine/domain/search-key.ts';
import { seal, unseal } from '../../../src/kit/crypto/sealed.ts';
import { type DashboardCall, tenantOf } from '../call.ts';
import { queryFrom } from '../paths.ts';

/** The query parameter of the page with the payments that a search found. */
const SEARCH_PARAMETER = 'search';

export interface Search {
  readonly wanted: string;
  /** The query of the page that shows the results. */
  readonly query: string;
}

/**
 * The query of the page for a search. Encrypted, because the search may be a phone number, and
 * addresses end up in logs and browser histories. With an address of its own, the page is there
 * again after Back.
 */
export async function searchQuery(call: DashboardCall, wanted: string): Promise<string> {
  const text = wanted.slice(0, SEARCH_LENGTH_MAX);
  const sealed = await seal(call.config.backOfficeKeys, text, contextOf(call));
  return queryFrom({ [SEARCH_PARAMETER]: sealed });
}

/** The search in the page's address; null without one that we sealed for this merchant. */
export async function searchIn(call: DashboardCall): Promise<Search | null> {
  const sealed = call.url.searchParams.get(SEARCH_PARAMETER) ?? '';
  const wanted = await unseal(call.config.backOfficeKeys, sealed, contextOf(call));
  return wanted === null ? null : { wanted, query: queryFrom({ [SEARCH_PARAMETER]: sealed }) };
}

function contextOf(call: DashboardCall): string {
  const { environment, merchantId } = tenantOf(call);
  return `search/${environment}/${merchantId}`;
}
