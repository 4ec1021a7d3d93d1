import type { AuditAction } from '../../../src/audit/actions.ts';
import type { AuditEntry } from '../../../src/audit/log.ts';
import type { SqlStatement } from '../../../src/database.ts';
import { found } from '../../../src/http/problem.ts';
import { apiKeyHint, generateApiKey } from '../../../src/merchants/api-key.ts';
import {
  type GrantedPermissions,
  storedPermissions,
} from '../../../src/merchants/key-permissions.ts';
import {
  type ApiKeyByForm,
  type ApiKeyView,
  apiKeyBy,
  apiKeys,
  createApiKey,
  renameApiKey,
  rollApiKey,
} from '../../../src/merchants/keys.ts';
import { revokeApiKey } from '../../../src/merchants/provision.ts';
import { answerPage, redirectTo } from '../../ui/answer.ts';
import { changeAudited } from '../audited.ts';
import { type DashboardCall, shownAt, tenantOf } from '../call.ts';
import { noticePage } from '../notices.tsx';
import { keysPath } from '../paths.ts';
import { isConfirmedInProduction, offerInProduction } from '../people/confirmation.ts';
import {
  type CreateProblem,
  isFormId,
  isKeyId,
  nameProblem,
  OVERLAPS_MS,
  overlapFrom,
  type RollProblem,
  readPermissions,
} from './key-form.ts';
import { KeyPage, NewKeyPage, type RefusedChange, type RolledKey } from './key-page.tsx';
import { isRollable } from './key-state.tsx';
import { KeysPage } from './keys-page.tsx';

/** GET …/keys. */
export async function showKeys(call: DashboardCall): Promise<Response> {
  return answerKeys(call, {});
}

/** The list, and after a rejected form its values and problem. */
async function answerKeys(
  call: DashboardCall,
  refused: { readonly name?: string; readonly problem?: CreateProblem },
): Promise<Response> {
  const keys = await apiKeys(call.env.DB, tenantOf(call), call.nowMs);
  const page = <KeysPage call={call} keys={keys} {...refused} />;
  return answerPage(call, page, { status: statusOf(refused.problem) });
}

/** GET …/keys/:key. */
export async function showKey(call: DashboardCall): Promise<Response> {
  return answerKey(call, await namedKey(call), {});
}

function answerKey(call: DashboardCall, key: ApiKeyView, refused: RefusedChange): Response {
  const path = keysPath(call.environment, `/${key.digest}`);
  const page = <KeyPage call={shownAt(call, path)} apiKey={key} refused={refused} />;
  return answerPage(call, page, { status: statusOf(refused.nameProblem ?? refused.rollProblem) });
}

function statusOf(problem: CreateProblem | RollProblem | undefined): number {
  switch (problem) {
    case undefined:
      return 200;
    case 'too_many':
    case 'sent_twice':
    case 'ended':
      return 409;
    case 'unconfirmed':
    case 'not_yours':
      return 403;
    default:
      return 400;
  }
}

/**
 * POST …/keys: creates a key and shows it, in this response only. A form that is sent twice creates
 * one key, and the second response says so, because the key cannot be shown again.
 */
export async function createKey(call: DashboardCall): Promise<Response> {
  const name = call.form.text('name');
  const formId = call.form.text('form');
  const problem = nameProblem(name);
  if (problem !== null) {
    return answerKeys(call, { name, problem });
  }
  const access = readPermissions(call);
  if ('problem' in access) {
    return answerKeys(call, { name, problem: access.problem });
  }
  if (!isFormId(formId)) {
    return noticePage(call, 'bad_form');
  }
  if (!(await isConfirmedInProduction(call, 'api-key', actionOf(call, null, access.granted)))) {
    return answerKeys(call, { name, problem: 'unconfirmed' });
  }
  const key = await newKey(call, name, formId, access.granted);
  const statements = [await createApiKey(tenantOf(call), key)];
  const hint = apiKeyHint(key.apiKey);
  if (!(await change(call, statements, 'api_key.created', hint, detailOf(key)))) {
    return answerKeys(call, { name, problem: await whyNoKey(call, formId) });
  }
  return answerNewKey(call, key, null);
}

/** POST …/keys/:key/roll: creates a replacement. Both keys work during the overlap. */
export async function rollKey(call: DashboardCall): Promise<Response> {
  const old = await namedKey(call);
  const overlap = overlapFrom(call.form.text('overlap'));
  const formId = call.form.text('form');
  if (overlap === null) {
    return answerKey(call, old, { rollProblem: 'overlap' });
  }
  const access = readPermissions(call);
  if ('problem' in access) {
    return answerKey(call, old, { rollProblem: access.problem });
  }
  if (!isFormId(formId)) {
    return noticePage(call, 'bad_form');
  }
  if (!(await isConfirmedInProduction(call, 'api-key', actionOf(call, old, access.granted)))) {
    return answerKey(call, old, { rollProblem: 'unconfirmed' });
  }
  const key = await newKey(call, old.name, formId, access.granted);
  const endsAtMs = call.nowMs + OVERLAPS_MS[overlap];
  const statements = await rollApiKey(tenantOf(call), old.digest, key, endsAtMs);
  const detail = { ...detailOf(key), replaces: `…${old.hint}`, oldKeyEndsAtMs: endsAtMs };
  if (!(await change(call, statements, 'api_key.rolled', apiKeyHint(key.apiKey), detail))) {
    const now = (await findKey(call)) ?? old;
    const rollProblem = isRollable(now) ? await whyNoKey(call, formId) : 'ended';
    return answerKey(call, now, { rollProblem });
  }
  const rolled = { hint: old.hint, endsAtMs: overlap === 'none' ? null : endsAtMs };
  return answerNewKey(call, key, rolled);
}

/**
 * POST …/keys/options: asks for the member's passkey in production, where a key reads customers'
 * details or returns money (docs/decisions.md#42).
 */
export async function beginCreateKey(call: DashboardCall): Promise<Response> {
  return askToConfirm(call, null);
}

/** POST …/keys/:key/roll/options: the same for the key's replacement. */
export async function beginRollKey(call: DashboardCall): Promise<Response> {
  return askToConfirm(call, await namedKey(call));
}

async function askToConfirm(call: DashboardCall, old: ApiKeyView | null): Promise<Response> {
  const access = readPermissions(call);
  const action = 'granted' in access ? actionOf(call, old, access.granted) : null;
  return offerInProduction(call, 'api-key', action);
}

/** What the member confirms: another key, name or permission needs another signature. */
function actionOf({ form }: DashboardCall, old: ApiKeyView | null, granted: GrantedPermissions) {
  return [
    old?.digest ?? null,
    form.text('form'),
    form.text('name'),
    form.text('overlap'),
    storedPermissions(granted),
  ];
}

/** The only response that contains the key in clear text. */
function answerNewKey(
  call: DashboardCall,
  { name, apiKey }: ApiKeyByForm,
  rolled: RolledKey | null,
): Response {
  const page = shownAt(call, keysPath(call.environment));
  return answerPage(call, <NewKeyPage call={page} name={name} apiKey={apiKey} rolled={rolled} />);
}

/** POST …/keys/:key/name. */
export async function renameKey(call: DashboardCall): Promise<Response> {
  const key = await namedKey(call);
  const name = call.form.text('name');
  const problem = nameProblem(name);
  if (problem !== null) {
    return answerKey(call, key, { name, nameProblem: problem });
  }
  const statement = renameApiKey(tenantOf(call), key.digest, name);
  await change(call, [statement], 'api_key.renamed', key.hint, { from: key.name, to: name });
  return redirectTo(keysPath(call.environment), { done: 'renamed' });
}

/** POST …/keys/:key/revoke: the key is rejected everywhere within 10 s. */
export async function revokeKey(call: DashboardCall): Promise<Response> {
  const key = await namedKey(call);
  const statement = revokeApiKey(tenantOf(call), key.digest, call.nowMs);
  await change(call, [statement], 'api_key.revoked', key.hint, { name: key.name });
  return redirectTo(keysPath(call.environment), { done: 'revoked' });
}

/** A key with full access has no list of what it may do. */
function detailOf({ name, permissions }: ApiKeyByForm) {
  return { name, ...(permissions !== null && { permissions: permissions.join(', ') }) };
}

async function newKey(
  call: DashboardCall,
  name: string,
  formId: string,
  permissions: GrantedPermissions,
): Promise<ApiKeyByForm> {
  return {
    apiKey: await generateApiKey(call.config.dataEncryptionKeys, call.environment),
    name,
    createdBy: call.session.memberName,
    createdAtMs: call.nowMs,
    formId,
    permissions,
  };
}

async function whyNoKey(call: DashboardCall, formId: string): Promise<'sent_twice' | 'too_many'> {
  const made = await apiKeyBy(call.env.DB, tenantOf(call), { formId });
  return made === null ? 'too_many' : 'sent_twice';
}

/** False when the statements changed nothing. */
function change(
  call: DashboardCall,
  statements: readonly SqlStatement[],
  action: AuditAction,
  hint: string,
  detail: NonNullable<AuditEntry['detail']>,
): Promise<boolean> {
  return changeAudited(call, statements, { action, target: `…${hint}`, detail });
}

/** The key that the path names. */
async function namedKey(call: DashboardCall): Promise<ApiKeyView> {
  return found(await findKey(call));
}

async function findKey(call: DashboardCall): Promise<ApiKeyView | null> {
  const digest = call.params.key ?? '';
  return isKeyId(digest) ? apiKeyBy(call.env.DB, tenantOf(call), { digest }) : null;
}
