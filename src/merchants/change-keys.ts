import type { AuditAction } from '../audit/actions.ts';
import { type Actor, type AuditEntry, runAudited } from '../audit/log.ts';
import type { Config } from '../config.ts';
import type { Tenant } from '../domain/intent.ts';
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

interface Context {
  readonly env: Pick<Env, 'DB'>;
  readonly config: Pick<Config, 'dataEncryptionKeys'>;
  readonly nowMs: number;
}

/** The form that asks for a key. */
export interface KeyForm {
  readonly formId: string;
  readonly permissions: GrantedPermissions;
}

/** The key in plain text, which nobody can read again, or why there is none. */
export type KeyResult<Refusal> =
  | { readonly type: 'created'; readonly apiKey: string }
  | { readonly type: 'refused'; readonly problem: Refusal };

/** A key with that name. A form that is sent twice creates one key. */
export async function createKey(
  context: Context,
  tenant: Tenant,
  actor: Actor,
  name: string,
  form: KeyForm,
): Promise<KeyResult<'too_many' | 'sent_twice'>> {
  const key = await newKey(context, tenant, actor, name, form);
  const statements = [await createApiKey(tenant, key)];
  const hint = apiKeyHint(key.apiKey);
  const entry = { action: 'api_key.created', hint, detail: detailOf(key) } as const;
  return (await change(context, tenant, actor, statements, entry))
    ? { type: 'created', apiKey: key.apiKey }
    : { type: 'refused', problem: await whyNoKey(context, tenant, form) };
}

/** A replacement for the key. Both work during the overlap. Problem 404 for an unknown key. */
export async function rollKey(
  context: Context,
  tenant: Tenant,
  actor: Actor,
  digest: string,
  overlap: Overlap,
  form: KeyForm,
): Promise<KeyResult<'too_many' | 'sent_twice' | 'ended'>> {
  const old = await knownKey(context, tenant, digest);
  const key = await newKey(context, tenant, actor, old.name, form);
  requireValid(overlapFrom(overlap) !== null);
  const endsAtMs = context.nowMs + OVERLAPS_MS[overlap];
  const statements = await rollApiKey(tenant, digest, key, endsAtMs);
  const detail = { ...detailOf(key), replaces: `…${old.hint}`, oldKeyEndsAtMs: endsAtMs };
  const entry = { action: 'api_key.rolled', hint: apiKeyHint(key.apiKey), detail } as const;
  if (await change(context, tenant, actor, statements, entry)) {
    return { type: 'created', apiKey: key.apiKey };
  }
  const problem = isRollable(await knownKey(context, tenant, digest))
    ? await whyNoKey(context, tenant, form)
    : 'ended';
  return { type: 'refused', problem };
}

/** Problem 404 for an unknown key. */
export async function renameKey(
  context: Context,
  tenant: Tenant,
  actor: Actor,
  digest: string,
  name: string,
): Promise<void> {
  const key = await knownKey(context, tenant, digest);
  requireValid(nameProblem(name) === null);
  const detail = { from: key.name, to: name };
  const entry = { action: 'api_key.renamed', hint: key.hint, detail } as const;
  await change(context, tenant, actor, [renameApiKey(tenant, digest, name)], entry);
}

/** The key is rejected everywhere within 10 s. Problem 404 for an unknown key. */
export async function revokeKey(
  context: Context,
  tenant: Tenant,
  actor: Actor,
  digest: string,
): Promise<void> {
  const { hint, name } = await knownKey(context, tenant, digest);
  const statement = revokeApiKey(tenant, digest, context.nowMs);
  const entry = { action: 'api_key.revoked', hint, detail: { name } } as const;
  await change(context, tenant, actor, [statement], entry);
}

async function newKey(
  { config, nowMs }: Context,
  { environment }: Tenant,
  actor: Actor,
  name: string,
  { formId, permissions }: KeyForm,
): Promise<ApiKeyByForm> {
  requireValid(nameProblem(name) === null && isFormId(formId) && isGrantable(permissions));
  const apiKey = await generateApiKey(config.dataEncryptionKeys, environment);
  return { apiKey, name, createdBy: actor.name, createdAtMs: nowMs, formId, permissions };
}

/** Pages check their forms first, so only an intruder sends an invalid value. */
function requireValid(isValid: boolean): void {
  if (!isValid) {
    throw new RangeError('not a valid change of an API key');
  }
}

async function knownKey({ env }: Context, tenant: Tenant, digest: string): Promise<ApiKeyView> {
  return found(await apiKeyBy(env.DB, tenant, { digest }));
}

/** A key with full access has no list of what it may do. */
function detailOf({ name, permissions }: ApiKeyByForm) {
  return { name, ...(permissions !== null && { permissions: permissions.join(', ') }) };
}

async function whyNoKey({ env }: Context, tenant: Tenant, { formId }: KeyForm) {
  const made = await apiKeyBy(env.DB, tenant, { formId });
  return made === null ? 'too_many' : 'sent_twice';
}

/** False when the statements changed nothing. */
function change(
  { env, nowMs }: Context,
  tenant: Tenant,
  actor: Actor,
  statements: readonly SqlStatement[],
  { hint, ...entry }: Pick<AuditEntry, 'detail'> & { action: AuditAction; hint: string },
): Promise<boolean> {
  const target = `…${hint}`;
  return runAudited(env.DB, statements, { ...entry, ...tenant, actor, target, atMs: nowMs });
}
