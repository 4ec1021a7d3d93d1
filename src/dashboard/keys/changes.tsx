import type { AuditAction } from '../../audit/actions.ts';
import { type AuditEntry, auditEntryIfChanged } from '../../audit/log.ts';
import { runBatch, type SqlStatement } from '../../database.ts';
import { apiKeyHint, generateApiKey } from '../../merchants/api-key.ts';
import {
  type ApiKeyByForm,
  apiKeyBy,
  createApiKey,
  renameApiKey,
  rollApiKey,
} from '../../merchants/keys.ts';
import { revokeApiKey } from '../../merchants/provision.ts';
import { answerPage, redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall, tenantOf } from '../call.ts';
import { noticePage } from '../notices.tsx';
import { isFormId, nameProblem, OVERLAPS_MS, overlapFrom } from './key-form.ts';
import { isRollable } from './key-state.tsx';
import { NewKeyPage } from './new-key-page.tsx';
import { answerKey, answerKeys, namedKey } from './pages.tsx';

/**
 * POST …/keys: makes a key and shows it, in this answer and never again. The same form sent twice
 * makes one key, and the second answer says so: the text of the first key is nowhere to be had.
 */
export async function createKey(call: DashboardCall): Promise<Response> {
  const name = call.form.text('name');
  const formId = call.form.text('form');
  const problem = nameProblem(name);
  if (problem !== null) {
    return answerKeys(call, { name, problem });
  }
  if (!isFormId(formId)) {
    return noticePage(call, 'bad_form');
  }
  const key = newKey(call, name, formId);
  const changed = await change(
    call,
    [await createApiKey(tenantOf(call), key)],
    'api_key.created',
    apiKeyHint(key.apiKey),
    { name },
  );
  if (!changed) {
    return answerKeys(call, { name, problem: await whyNoKey(call, formId) });
  }
  return answerPage(call, <NewKeyPage call={call} name={name} apiKey={key.apiKey} rolled={null} />);
}

/** POST …/keys/:key/roll: another key takes this one's place; for a while both work. */
export async function rollKey(call: DashboardCall): Promise<Response> {
  const old = await namedKey(call);
  if (old === null) {
    return noticePage(call, 'not_found');
  }
  const overlap = overlapFrom(call.form.text('overlap'));
  const formId = call.form.text('form');
  if (overlap === null) {
    return answerKey(call, old, { rollProblem: 'overlap' });
  }
  if (!isFormId(formId)) {
    return noticePage(call, 'bad_form');
  }
  const key = newKey(call, old.name, formId);
  const endsAtMs = call.nowMs + OVERLAPS_MS[overlap];
  const changed = await change(
    call,
    await rollApiKey(tenantOf(call), old.digest, key, endsAtMs),
    'api_key.rolled',
    apiKeyHint(key.apiKey),
    { name: old.name, replaces: `…${old.hint}`, oldKeyEndsAtMs: endsAtMs },
  );
  if (!changed) {
    const now = (await namedKey(call)) ?? old;
    const rollProblem = isRollable(now) ? await whyNoKey(call, formId) : 'ended';
    return answerKey(call, now, { rollProblem });
  }
  const rolled = { hint: old.hint, endsAtMs: overlap === 'none' ? null : endsAtMs };
  return answerPage(
    call,
    <NewKeyPage call={call} name={old.name} apiKey={key.apiKey} rolled={rolled} />,
  );
}

/** POST …/keys/:key/name. */
export async function renameKey(call: DashboardCall): Promise<Response> {
  const key = await namedKey(call);
  if (key === null) {
    return noticePage(call, 'not_found');
  }
  const name = call.form.text('name');
  const problem = nameProblem(name);
  if (problem !== null) {
    return answerKey(call, key, { name, nameProblem: problem });
  }
  const statement = renameApiKey(tenantOf(call), key.digest, name);
  await change(call, [statement], 'api_key.renamed', key.hint, { from: key.name, to: name });
  return redirectTo(call, keysPath(call), { done: 'renamed' });
}

/** POST …/keys/:key/revoke: refused everywhere within 10 s. */
export async function revokeKey(call: DashboardCall): Promise<Response> {
  const key = await namedKey(call);
  if (key === null) {
    return noticePage(call, 'not_found');
  }
  const statement = revokeApiKey(tenantOf(call), key.digest, call.nowMs);
  await change(call, [statement], 'api_key.revoked', key.hint, { name: key.name });
  return redirectTo(call, keysPath(call), { done: 'revoked' });
}

function newKey(call: DashboardCall, name: string, formId: string): ApiKeyByForm {
  return {
    apiKey: generateApiKey(call.environment),
    name,
    createdBy: call.session.memberName,
    createdAtMs: call.nowMs,
    formId,
  };
}

async function whyNoKey(call: DashboardCall, formId: string): Promise<'sent_twice' | 'too_many'> {
  const made = await apiKeyBy(call.env.DB, tenantOf(call), { formId });
  return made === null ? 'too_many' : 'sent_twice';
}

/** Runs the statements with their entry in the audit log, if they change anything; says whether. */
async function change(
  call: DashboardCall,
  statements: readonly SqlStatement[],
  action: AuditAction,
  hint: string,
  detail: NonNullable<AuditEntry['detail']>,
): Promise<boolean> {
  const entry = auditEntryIfChanged({
    actor: actorOf(call),
    ...tenantOf(call),
    action,
    target: `…${hint}`,
    detail,
    atMs: call.nowMs,
  });
  const counts = await runBatch(call.env.DB, [...statements, entry]);
  return counts.at(-1) === 1;
}

function keysPath(call: DashboardCall): string {
  return `/dashboard/${call.environment}/keys`;
}
