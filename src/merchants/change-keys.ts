import { type Act, type Changing, runAct } from '../audit/log.ts';
import type { Config } from '../config.ts';
import { found } from '../http/problem.ts';
import type { SqlStatement } from '../platform/database.ts';
import { apiKeyHint, generateApiKey } from './api-key.ts';
import type { GrantedPermissions } from './key-permissions.ts';
import {
  isFormId,
  isGrantable,
  isRollable,
  nameProblem,
  OVERLAPS_MS,
  type Overlap,
  overlapFrom,
} from './key-rules.ts';
import {
  type ApiKeyByForm,
  type ApiKeyView,
  apiKeyBy,
  createApiKey,
  renameApiKey,
  rollApiKey,
} from './keys.ts';
import { revokeApiKey } from './provision.ts';

/** How members change a tenant's API keys, each change in one batch with its audit entry. */

interface KeyChange extends Changing {
  readonly config: Pick<Config, 'dataEncryptionKeys'>;
}

/** The form that asks for a key. */
export interface KeyForm {
  readonly formId: string;
  readonly permissions: GrantedPermissions;
}

/** The key in plain text, which cannot be read again, or why there is none. */
export type KeyResult<Refusal> =
  | { readonly type: 'created'; readonly apiKey: string }
  | { readonly type: 'refused'; readonly problem: Refusal };

/** A key with that name. A form that is sent twice creates one key. */
export async function createKey(
  by: KeyChange,
  name: string,
  form: KeyForm,
): Promise<KeyResult<'too_many' | 'sent_twice'>> {
  const key = await newKey(by, name, form);
  const statements = [await createApiKey(by.tenant, key)];
  const hint = apiKeyHint(key.apiKey);
  const entry = { action: 'api_key.created', hint, detail: detailOf(key) } as const;
  return (await change(by, statements, entry))
    ? { type: 'created', apiKey: key.apiKey }
    : { type: 'refused', problem: await whyNoKey(by, form) };
}

/** A replacement for the key. Both work during the overlap. Problem 404 for an unknown key. */
export async function rollKey(
  by: KeyChange,
  digest: string,
  overlap: Overlap,
  form: KeyForm,
): Promise<KeyResult<'too_many' | 'sent_twice' | 'ended'>> {
  const old = await knownKey(by, digest);
  const key = await newKey(by, old.name, form);
  requireValid(overlapFrom(overlap) !== null);
  const endsAtMs = by.nowMs + OVERLAPS_MS[overlap];
  const statements = await rollApiKey(by.tenant, digest, key, endsAtMs);
  const detail = { ...detailOf(key), replaces: `…${old.hint}`, oldKeyEndsAtMs: endsAtMs };
  const entry = { action: 'api_key.rolled', hint: apiKeyHint(key.apiKey), detail } as const;
  if (await change(by, statements, entry)) {
    return { type: 'created', apiKey: key.apiKey };
  }
  const problem = isRollable(await knownKey(by, digest)) ? await whyNoKey(by, form) : 'ended';
  return { type: 'refused', problem };
}

/** Problem 404 for an unknown key. */
export async function renameKey(by: KeyChange, digest: string, name: string): Promise<void> {
  const key = await knownKey(by, digest);
  requireValid(nameProblem(name) === null);
  const detail = { from: key.name, to: name };
  const entry = { action: 'api_key.renamed', hint: key.hint, detail } as const;
  await change(by, [renameApiKey(by.tenant, digest, name)], entry);
}

/** The key is rejected everywhere within 10 s. Problem 404 for an unknown key. */
export async function revokeKey(by: KeyChange, digest: string): Promise<void> {
  const { hint, name } = await knownKey(by, digest);
  const statement = revokeApiKey(by.tenant, digest, by.nowMs);
  const entry = { action: 'api_key.revoked', hint, detail: { name } } as const;
  await change(by, [statement], entry);
}

async function newKey(
  { config, tenant, actor, nowMs }: KeyChange,
  name: string,
  { formId, permissions }: KeyForm,
): Promise<ApiKeyByForm> {
  requireValid(nameProblem(name) === null && isFormId(formId) && isGrantable(permissions));
  const apiKey = await generateApiKey(config.dataEncryptionKeys, tenant.environment);
  return { apiKey, name, createdBy: actor.name, createdAtMs: nowMs, formId, permissions };
}

/** Pages check their forms first, so only an intruder sends an invalid value. */
function requireValid(isValid: boolean): void {
  if (!isValid) {
    throw new RangeError('not a valid change of an API key');
  }
}

async function knownKey({ env, tenant }: KeyChange, digest: string): Promise<ApiKeyView> {
  return found(await apiKeyBy(env.DB, tenant, { digest }));
}

/** A key with full access has no list of what it may do. */
function detailOf({ name, permissions }: ApiKeyByForm) {
  return { name, ...(permissions !== null && { permissions: permissions.join(', ') }) };
}

async function whyNoKey({ env, tenant }: KeyChange, { formId }: KeyForm) {
  const made = await apiKeyBy(env.DB, tenant, { formId });
  return made === null ? 'too_many' : 'sent_twice';
}

/** False when the statements changed nothing. */
function change(
  by: KeyChange,
  statements: readonly SqlStatement[],
  { hint, ...act }: Omit<Act, 'target'> & { readonly hint: string },
): Promise<boolean> {
  return runAct(by, statements, { ...act, target: `…${hint}` });
}
