import { found } from '../../../src/http/problem.ts';
import type { KeyForm } from '../../../src/merchants/change-keys.ts';
import {
  type GrantedPermissions,
  storedPermissions,
} from '../../../src/merchants/key-permissions.ts';
import {
  isFormId,
  nameProblem,
  OVERLAPS_MS,
  overlapFrom,
} from '../../../src/merchants/key-rules.ts';
import type { ApiKeyView } from '../../../src/merchants/keys.ts';
import { answerPage, redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall, shownAt, tenantOf } from '../call.ts';
import { noticePage } from '../notices.tsx';
import { keysPath } from '../paths.ts';
import { isConfirmedInProduction, offerInProduction } from '../people/confirmation.ts';
import { type CreateProblem, type RollProblem, readPermissions } from './key-form.ts';
import { KeyPage, NewKeyPage, type RefusedChange, type RolledKey } from './key-page.tsx';
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
  const keys = await call.payments.settings.keys(tenantOf(call));
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
  const form: KeyForm = { formId, permissions: access.granted };
  const { settings } = call.payments;
  const result = await settings.createKey(tenantOf(call), actorOf(call), name, form);
  return result.type === 'created'
    ? answerNewKey(call, name, result.apiKey, null)
    : answerKeys(call, { name, problem: result.problem });
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
  const form: KeyForm = { formId, permissions: access.granted };
  const { settings } = call.payments;
  const who = [tenantOf(call), actorOf(call)] as const;
  const result = await settings.rollKey(...who, old.digest, overlap, form);
  if (result.type === 'refused') {
    return answerKey(call, await namedKey(call), { rollProblem: result.problem });
  }
  const endsAtMs = overlap === 'none' ? null : call.nowMs + OVERLAPS_MS[overlap];
  return answerNewKey(call, old.name, result.apiKey, { hint: old.hint, endsAtMs });
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
  name: string,
  apiKey: string,
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
  await call.payments.settings.renameKey(tenantOf(call), actorOf(call), key.digest, name);
  return redirectTo(keysPath(call.environment), { done: 'renamed' });
}

/** POST …/keys/:key/revoke: the key is rejected everywhere within 10 s. */
export async function revokeKey(call: DashboardCall): Promise<Response> {
  const digest = call.params.key ?? '';
  await call.payments.settings.revokeKey(tenantOf(call), actorOf(call), digest);
  return redirectTo(keysPath(call.environment), { done: 'revoked' });
}

/** The key that the path names. */
async function namedKey(call: DashboardCall): Promise<ApiKeyView> {
  return found(await call.payments.settings.key(tenantOf(call), call.params.key ?? ''));
}
