import { auditEntry } from '../../../src/kit/audit/log.ts';
import { found } from '../../../src/kit/http/problem.ts';
import type { DashboardMessages } from '../../i18n/messages.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { browserName } from '../../members/browser-name.ts';
import { challengeOf } from '../../members/challenge.ts';
import { registrationIn } from '../../members/credential.ts';
import { nameFrom, presentMember } from '../../members/members.ts';
import {
  insertPasskey,
  knownPasskeys,
  passkeysOf,
  removePasskey,
  renamePasskey,
  revokeSessionsOfRemoved,
} from '../../members/passkeys.ts';
import {
  endedSessionCookie,
  openSessions,
  revokeOtherSessions,
  revokeSession,
} from '../../members/sessions.ts';
import { relyingPartyOf, verifiedRegistration } from '../../members/verification.ts';
import { redirectTo } from '../../ui/answer.ts';
import type { DashboardCall } from '../call.ts';
import { showPage } from '../frame.tsx';
import { ACCOUNT_PATH } from '../paths.ts';
import { type DashboardRoute, get, post, postWhenReadOnly } from '../route.ts';
import { AccountPage } from './account-page.tsx';
import { changeKnown, changePeople, entryOf } from './audited.ts';
import { answerRefused, finishCeremony, offerRegistration, refused, unfit } from './ceremony.ts';
import { digestOf, isConfirmed, offerConfirmation } from './confirmation.ts';

/** Phone, computer, security key and their successors; more are a mistake or an attack. */
const PASSKEYS_PER_MEMBER_MAX = 20;

const PASSKEYS = `${ACCOUNT_PATH}/passkeys` as const;
const SESSIONS = `${ACCOUNT_PATH}/sessions` as const;

export const ACCOUNT_ROUTES: readonly DashboardRoute[] = [
  get(ACCOUNT_PATH, 'account', (call) => answerAccount(call)),
  post(`${PASSKEYS}/confirm`, 'account', confirmAddPasskey),
  post(`${PASSKEYS}/options`, 'account', beginAddPasskey),
  post(PASSKEYS, 'account', finishAddPasskey),
  post(`${PASSKEYS}/rename`, 'account', renameOwnPasskey),
  post(`${PASSKEYS}/remove`, 'account', removeOwnPasskey),
  // Members may always end their own sessions.
  postWhenReadOnly(`${SESSIONS}/revoke-others`, 'account', revokeOwnOtherSessions),
  postWhenReadOnly(`${SESSIONS}/:session/revoke`, 'account', revokeOwnSession),
  postWhenReadOnly('/dashboard/sign-out', 'account', signOut),
];

async function answerAccount(
  call: DashboardCall,
  refusal?: keyof DashboardMessages['account']['problems'],
): Promise<Response> {
  const { session, env, nowMs, request, language } = call;
  const [passkeys, sessions] = await Promise.all([
    passkeysOf(env.BACK_OFFICE_DB, session.memberId),
    openSessions(env.BACK_OFFICE_DB, session.memberId, nowMs),
  ]);
  const newPasskeyName = browserName(request.headers.get('user-agent') ?? '');
  const page = <AccountPage {...{ passkeys, sessions, newPasskeyName }} />;
  const texts = DASHBOARD_TEXTS[language].account.problems;
  const problems = refusal === undefined ? [] : ([[null, texts[refusal]]] as const);
  return showPage(call, page, { at: ACCOUNT_PATH, problems });
}

/**
 * POST /dashboard/account/passkeys/confirm: the member first confirms with a passkey that they have.
 * Otherwise a stolen session could give itself the passkey that confirms refunds
 * (docs/decisions.md#42).
 */
async function confirmAddPasskey(call: DashboardCall): Promise<Response> {
  const name = nameFrom(call.form.text('passkey'));
  return name === null
    ? unfit(call, 'badName')
    : offerConfirmation(call, 'confirm-passkey', [name]);
}

/** POST /dashboard/account/passkeys/options: only with that confirmation. */
async function beginAddPasskey(call: DashboardCall): Promise<Response> {
  const { memberId, memberName, merchantName } = call.session;
  const name = nameFrom(call.form.text('passkey'));
  if (name === null) {
    return unfit(call, 'badName');
  }
  const known = await knownPasskeys(call.env.BACK_OFFICE_DB, memberId);
  if (known.length >= PASSKEYS_PER_MEMBER_MAX) {
    return unfit(call, 'tooMany');
  }
  if (!(await isConfirmed(call, 'confirm-passkey', [name]))) {
    return answerRefused(call, 'confirm-passkey');
  }
  const request = { memberId, memberName, merchantName, known };
  return offerRegistration(call, 'add-passkey', await digestOf(call, [name]), request);
}

/** POST /dashboard/account/passkeys */
async function finishAddPasskey(call: DashboardCall): Promise<Response> {
  const { session, form, nowMs } = call;
  const { memberId } = session;
  const credential = registrationIn(form.text('credential'));
  const name = nameFrom(form.text('passkey'));
  if (credential === null || name === null) {
    return refused(call, 'add-passkey', 'malformed');
  }
  // Only under the name that the other passkey has confirmed.
  const challenge = await challengeOf(call, 'add-passkey', await digestOf(call, [name]));
  if (challenge === null || challenge.memberId !== memberId) {
    return refused(call, 'add-passkey', 'challenge');
  }
  const passkey = await verifiedRegistration(relyingPartyOf(call), challenge, credential);
  if (passkey === null) {
    return refused(call, 'add-passkey', 'unverified');
  }
  const act = { action: 'passkey.added', target: memberId, detail: { passkey: name } } as const;
  return finishCeremony(call, 'add-passkey', challenge, {
    required: presentMember(memberId),
    statements: [insertPasskey(memberId, passkey, name, nowMs), auditEntry(entryOf(call, act))],
  });
}

/** POST /dashboard/account/passkeys/rename */
async function renameOwnPasskey(call: DashboardCall): Promise<Response> {
  const { memberId } = call.session;
  const name = nameFrom(call.form.text('name'));
  if (name === null) {
    return answerAccount(call, 'bad_name');
  }
  const change = renamePasskey(memberId, call.form.text('passkey'), name);
  const act = { action: 'passkey.renamed', target: memberId, detail: { passkey: name } } as const;
  await changeKnown(call, change, act);
  return redirectTo(ACCOUNT_PATH, { done: 'passkey_renamed' });
}

/** POST /dashboard/account/passkeys/remove: also ends other sessions started with it. */
async function removeOwnPasskey(call: DashboardCall): Promise<Response> {
  const { session, env, form, nowMs } = call;
  const { memberId } = session;
  const passkeys = await passkeysOf(env.BACK_OFFICE_DB, memberId);
  const { credentialId, name } = found(
    passkeys.find((passkey) => passkey.credentialId === form.text('passkey')),
  );
  const act = { action: 'passkey.removed', target: memberId, detail: { passkey: name } } as const;
  const isRemoved = await changePeople(call, removePasskey(memberId, credentialId), act, [
    revokeSessionsOfRemoved(memberId, credentialId, session.id, nowMs),
  ]);
  return isRemoved
    ? redirectTo(ACCOUNT_PATH, { done: 'passkey_removed' })
    : answerAccount(call, 'last_passkey');
}

/** POST /dashboard/account/sessions/:session/revoke */
async function revokeOwnSession(call: DashboardCall): Promise<Response> {
  const { session = '' } = call.params;
  const change = revokeSession(call.session.memberId, session, call.nowMs);
  await changeKnown(call, change, { action: 'session.revoked', target: session, detail: {} });
  return redirectTo(ACCOUNT_PATH, { done: 'session_revoked' });
}

/** POST /dashboard/sign-out */
async function signOut(call: DashboardCall): Promise<Response> {
  const { memberId, id } = call.session;
  await changePeople(call, revokeSession(memberId, id, call.nowMs), {
    action: 'session.revoked',
    target: id,
    detail: { signedOut: true },
  });
  return redirectTo('/dashboard/sign-in', { cookies: [endedSessionCookie(call.request)] });
}

/** POST /dashboard/account/sessions/revoke-others */
async function revokeOwnOtherSessions(call: DashboardCall): Promise<Response> {
  const { memberId, id } = call.session;
  await changePeople(call, revokeOtherSessions(memberId, id, call.nowMs), {
    action: 'session.revoked',
    target: memberId,
    detail: { which: 'others' },
  });
  return redirectTo(ACCOUNT_PATH, { done: 'sessions_revoked' });
}
