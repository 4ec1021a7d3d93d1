import {
  isFormId,
  KEY_NAME_LENGTH_MAX,
  KEYS_ACTIVE_MAX,
  nameProblem,
  OVERLAPS_MS,
  overlapFrom,
} from '../../../src/control/merchants/key-rules.ts';
import type { ApiKeyView } from '../../../src/control/merchants/keys.ts';
import {
  type GrantedPermissions,
  KEY_PERMISSIONS,
  storedPermissions,
} from '../../../src/engine/merchants/key-permissions.ts';
import { found } from '../../../src/kit/http/problem.ts';
import type { DashboardMessages } from '../../i18n/messages.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall, tenantOf } from '../call.ts';
import { showPage } from '../frame.tsx';
import { noticePage } from '../notices.tsx';
import { keysPath } from '../paths.ts';
import { type Asked, confirmedPost, inProduction, wrong } from '../people/confirmation.ts';
import { type DashboardRoute, get, post } from '../route.ts';
import { KeyPage, NewKeyPage, type RolledKey } from './key-page.tsx';
import { KeysPage, mayGrant, permissionField, RESTRICTED_ID } from './keys-page.tsx';

const KEYS = '/dashboard/:environment/keys';

/**
 * Production asks for the member's passkey before it creates or rolls a key, which reads customers'
 * details or returns money (docs/decisions.md#42).
 */
export const KEY_ROUTES: readonly DashboardRoute[] = [
  get(KEYS, 'view', (call) => answerKeys(call)),
  ...confirmedPost(KEYS, 'develop', 'api-key', readCreation),
  get(`${KEYS}/:key`, 'develop', async (call) => answerKey(call, await namedKey(call))),
  post(`${KEYS}/:key/name`, 'develop', renameKey),
  ...confirmedPost(`${KEYS}/:key/roll`, 'develop', 'api-key', readRoll),
  post(`${KEYS}/:key/revoke`, 'develop', revokeKey),
];

/** Why a key was not created, rolled or renamed. */
type KeyProblem = keyof DashboardMessages['keys']['problem'];

/** The fields that problems are about; the others are about the whole form. */
const FIELDS: Readonly<Partial<Record<KeyProblem, string>>> = {
  missing: 'name',
  too_long: 'name',
  unprintable: 'name',
  no_permission: RESTRICTED_ID,
  permissions_unclear: RESTRICTED_ID,
  not_yours: RESTRICTED_ID,
  overlap: 'overlap-none',
};

const STATUSES: Readonly<Partial<Record<KeyProblem, number>>> = {
  too_many: 409,
  sent_twice: 409,
  ended: 409,
  unconfirmed: 403,
  not_yours: 403,
};

function refusal({ language }: DashboardCall, problem: KeyProblem | undefined) {
  if (problem === undefined) {
    return {};
  }
  const texts = DASHBOARD_TEXTS[language].keys.problem;
  const text = {
    ...texts,
    too_long: texts.too_long(KEY_NAME_LENGTH_MAX),
    too_many: texts.too_many(KEYS_ACTIVE_MAX),
  }[problem];
  return {
    problems: [[FIELDS[problem] ?? null, text]],
    status: STATUSES[problem] ?? 400,
  } as const;
}

/** The list. After a rejected form, it shows the problem and what the member typed and ticked. */
async function answerKeys(call: DashboardCall, problem?: KeyProblem): Promise<Response> {
  const keys = await call.payments.settings.keys(tenantOf(call));
  const granted = problem === undefined ? null : tickedIn(call);
  const page = <KeysPage keys={keys} name={call.form.text('name')} granted={granted} />;
  return showPage(call, page, refusal(call, problem));
}

/** A form's permissions. Ticks without the choice *Only this* never mean full access. */
function tickedIn({ form }: DashboardCall): GrantedPermissions {
  const ticked = KEY_PERMISSIONS.filter((known) => form.text(permissionField(known)) !== '');
  return form.text('access') !== 'restricted' && ticked.length === 0 ? null : ticked;
}

/** `name` is the one that the member typed. */
function answerKey(
  call: DashboardCall,
  key: ApiKeyView,
  problem?: KeyProblem,
  name = key.name,
): Response {
  const at = keysPath(call.environment, `/${key.digest}`);
  // The form that renames has no permissions.
  const granted = call.form.text('access') === '' ? key.permissions : tickedIn(call);
  const overlap = overlapFrom(call.form.text('overlap')) ?? undefined;
  const page = <KeyPage {...{ apiKey: key, name, granted, overlap }} />;
  return showPage(call, page, { at, ...refusal(call, problem) });
}

/**
 * POST …/keys: creates a key and shows it, in this response only. A form that is sent twice creates
 * one key, and the second response says so, because the key cannot be shown again.
 */
async function readCreation(call: DashboardCall): Promise<Asked> {
  const name = call.form.text('name');
  const refuse = (problem: KeyProblem) => answerKeys(call, problem);
  const problem = nameProblem(name);
  return problem === null
    ? readKey(call, null, refuse, async (form) => {
        const { settings } = call.payments;
        const result = await settings.createKey(tenantOf(call), actorOf(call), name, form);
        return result.type === 'created'
          ? answerNewKey(call, name, result.apiKey, null)
          : refuse(result.problem);
      })
    : wrong(() => refuse(problem));
}

/** POST …/keys/:key/roll: creates a replacement. Both keys work during the overlap. */
async function readRoll(call: DashboardCall): Promise<Asked> {
  const old = await namedKey(call);
  const overlap = overlapFrom(call.form.text('overlap'));
  if (overlap === null) {
    return wrong(() => answerKey(call, old, 'overlap'));
  }
  const refuse = async (problem: KeyProblem) => answerKey(call, await namedKey(call), problem);
  return readKey(call, old, refuse, async (form) => {
    const { settings } = call.payments;
    const who = [tenantOf(call), actorOf(call)] as const;
    const result = await settings.rollKey(...who, old.digest, overlap, form);
    if (result.type === 'refused') {
      return refuse(result.problem);
    }
    const endsAtMs = overlap === 'none' ? null : call.nowMs + OVERLAPS_MS[overlap];
    return answerNewKey(call, old.name, result.apiKey, { hint: old.hint, endsAtMs });
  });
}

/** What the form allows the key, and what the member confirms of it. */
function readKey(
  call: DashboardCall,
  old: ApiKeyView | null,
  refuse: (problem: KeyProblem) => Promise<Response>,
  run: (form: { formId: string; permissions: GrantedPermissions }) => Promise<Response>,
): Asked {
  const { form } = call;
  const permissions = tickedIn(call);
  if (permissions?.length === 0) {
    return wrong(() => refuse('no_permission'));
  }
  if (permissions !== null && form.text('access') !== 'restricted') {
    return wrong(() => refuse('permissions_unclear'));
  }
  if (!mayGrant(call, permissions)) {
    return wrong(() => refuse('not_yours'));
  }
  const formId = form.text('form');
  if (!isFormId(formId)) {
    return wrong(() => noticePage(call, 'bad_form'));
  }
  // Another key, name or permission needs another signature.
  const typed = [formId, form.text('name'), form.text('overlap'), storedPermissions(permissions)];
  return {
    action: inProduction(call, [old?.digest ?? null, ...typed]),
    run: () => run({ formId, permissions }),
    refuse: () => refuse('unconfirmed'),
  };
}

/** The only response that contains the key in clear text. */
function answerNewKey(
  call: DashboardCall,
  name: string,
  apiKey: string,
  rolled: RolledKey | null,
): Response {
  const page = <NewKeyPage name={name} apiKey={apiKey} rolled={rolled} />;
  return showPage(call, page, { at: keysPath(call.environment) });
}

/** POST …/keys/:key/name. */
async function renameKey(call: DashboardCall): Promise<Response> {
  const key = await namedKey(call);
  const name = call.form.text('name');
  const problem = nameProblem(name);
  if (problem !== null) {
    return answerKey(call, key, problem, name);
  }
  await call.payments.settings.renameKey(tenantOf(call), actorOf(call), key.digest, name);
  return redirectTo(keysPath(call.environment), { done: 'renamed' });
}

/** POST …/keys/:key/revoke: the key is rejected everywhere within 10 s. */
async function revokeKey(call: DashboardCall): Promise<Response> {
  const digest = call.params.key ?? '';
  await call.payments.settings.revokeKey(tenantOf(call), actorOf(call), digest);
  return redirectTo(keysPath(call.environment), { done: 'revoked' });
}

/** The key that the path names. */
async function namedKey(call: DashboardCall): Promise<ApiKeyView> {
  return found(await call.payments.settings.key(tenantOf(call), call.params.key ?? ''));
}
