import { configOf } from '../../engine/config.ts';
import { phoneEndFrom, phoneFrom } from '../../engine/domain/phone.ts';
import {
  digestOwner,
  digestSearchKey,
  emailFrom,
  isFoundByDigest,
  isSearchable,
  metadataText,
  nameWords,
  SEARCH_LENGTH_MAX,
  tillSearchKey,
} from '../../engine/domain/search-key.ts';
import type { Metadata } from '../../engine/domain/terms.ts';
import { receiptKeys } from '../../engine/intent/receipt-keys.ts';
import type { NamedKey } from '../../kit/crypto/key-ring.ts';
import { type DigestKind, keyedDigest } from '../../kit/crypto/keyed-digest.ts';
import type { Tenant } from '../../kit/tenant.ts';
import type { SearchQuestion } from './queries/search.ts';
import type { EndedFilter, KeyChoices } from './rows.ts';

/**
 * Turns what a person or a merchant looks for into a book's search keys. A book has personal data
 * only as digests, and no data key. The digest by each key of the ring finds what was written
 * before a rotation.
 */

export interface SummaryFilter extends EndedFilter {
  /** `251XXXXXXXXX`: of the customer or of an attempt. */
  readonly phone?: string | undefined;
  /** All of these entries. */
  readonly metadata?: Metadata | undefined;
  readonly paymentLinkUniqueId?: string | undefined;
  /** The payments of a till; of null, those of all tills. */
  readonly tillId?: string | null | undefined;
}

/** The phone, each entry of metadata, the link and the till. */
export async function summaryKeys(
  env: Env,
  tenant: Tenant,
  { phone, metadata = {}, paymentLinkUniqueId: link, tillId }: SummaryFilter,
): Promise<readonly KeyChoices[]> {
  const choices = (kind: DigestKind, text: string) => digestChoices(env, tenant, kind, text);
  return Promise.all([
    ...(phone === undefined ? [] : [choices('phone', phone)]),
    ...Object.entries(metadata).map(([key, value]) =>
      choices('metadata', metadataText(key, value)),
    ),
    ...(link === undefined ? [] : [choices('link', link)]),
    ...(tillId === undefined ? [] : [[tillSearchKey(tillId)]]),
  ]);
}

/** The keys of one text, by each key of the ring. */
export function digestChoices(
  env: Env,
  tenant: Tenant,
  kind: DigestKind,
  text: string,
): Promise<KeyChoices> {
  const owner = digestOwner(tenant);
  return Promise.all(
    configOf(env).dataEncryptionKeys.map(async (key: NamedKey) =>
      digestSearchKey(kind, await keyedDigest(key, owner, kind, text)),
    ),
  );
}

/** Null for text that no id has. */
export async function searchGroups(
  env: Env,
  tenant: Tenant,
  typed: string,
): Promise<SearchQuestion | null> {
  // Checked first, because it bounds the work of all later steps.
  const text = typed.length > SEARCH_LENGTH_MAX ? '' : typed.trim();
  if (text === '' || !isSearchable(text)) {
    return null;
  }
  const receipts = await receiptKeys(env, tenant.environment, text);
  const phone = phoneFrom(text);
  const end = phoneEndFrom(text);
  const email = emailFrom(text);
  const words = email === null && /\p{L}/u.test(text) ? nameWords(text) : [];
  const isHashed = isFoundByDigest(text);
  const owner = digestOwner(tenant);
  const ofKey = async (key: NamedKey): Promise<string[][]> => {
    const searchKey = async (kind: DigestKind, of: string) =>
      digestSearchKey(kind, await keyedDigest(key, owner, kind, of));
    const names = words.map((word) => searchKey('name', word));
    return [
      ...(isHashed ? [[await searchKey('id', text)]] : []),
      ...(phone === null ? [] : [[await searchKey('phone', phone)]]),
      ...(email === null ? [] : [[await searchKey('email', email)]]),
      ...(words.length === 0 ? [] : [await Promise.all(names)]),
    ];
  };
  const groups = await Promise.all(configOf(env).dataEncryptionKeys.map(ofKey));
  const ends = end === null ? [] : await digestChoices(env, tenant, 'phoneEnd', end);
  return {
    text,
    groups: [...receipts.map((key) => [key]), ...groups.flat()],
    partGroups: ends.map((key) => [key]),
  };
}
