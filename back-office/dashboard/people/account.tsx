import { auditEntry } from '../../../src/audit/log.ts';
import { found, problem } from '../../../src/http/problem.ts';
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
import { answerPage, redirectTo } from '../../ui/answer.ts';
import { type DashboardCall, shownAt } from '../call.ts';
import { ACCOUNT_PATH } from '../paths.ts';
import { AccountPage, type AccountProblem } from './account-page.tsx';
import { changePeople, entryOf } from './audited.ts';
import { answerRefused, finishCeremony, offerRegistration, refused, unfit } from './ceremony.ts';
import { digestOf, isConfirmed, offerConfirmation } from './confirmation.ts';

/** Phone, computer, security key and their successors; more are a mistake or an attack. */
const PASSKEYS_PER_MEMBER_MAX = 20;

/** GET /dashboard/account */
export async function showAccount(call: DashboardCall): Promise<Response> {
  return answerAccount(call, null);
}

async function answerAccount(
  call: DashboardCall,
  refusal: AccountProblem | null,
): Promise<Response> {
  const { session, env, nowMs, request } = call;
  const [passkeys, sessions] = await Promise.all([
    passkeysOf(env.BACK_OFFICE_DB, session.memberId),
    openSessions(env.BACK_OFFICE_DB, session.memberId, nowMs),
  ]);
  const page = (
    <AccountPage
      call={shownAt(call, ACCOUNT_PATH)}
      passkeys={passkeys}
      sessions={sessions}
      newPasskeyName={browserName(request.headers.get('user-agent') ?? '')}
      problem={refusal}
    />
  );
  return answerPage(call, page, { status: refusal === null ? 200 : 400 });
}

/**
 * POST /dashboard/account/passkeys/confirm: the member first confirms with a passkey that they have.
 * Otherwise a stolen session could give itself the passkey that confirms refunds
 * (docs/decisions.md#42).
 */
export async function confirmAddPasskey(call: DashboardCall): Promise<Response> {
  const name = nameFrom(call.form.text('passkey'));
  return name === null
    ? unfit(call, 'badName')
    : offerConfirmation(call, 'confirm-passkey', [name]);
}

/** POST /dashboard/account/passkeys/options: only with that confirmation. */
export async function beginAddPasskey(call: DashboardCall): Promise<Response> {
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
export async function finishAddPasskey(call: DashboardCall): Promise<Response> {
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
export async function renameOwnPasskey(call: DashboardCall): Promise<Response> {
  const { memberId } = call.session;
  const name = nameFrom(call.form.text('name'));
  if (name === null) {
    return answerAccount(call, 'bad_name');
  }
  const change = renamePasskey(memberId, call.form.text('passkey'), name);
  const isRenamed = await changePeople(call, change, {
    action: 'passkey.renamed',
    target: memberId,
    detail: { passkey: name },
  });
  if (!isRenamed) {
    throw problem('not_found');
  }
  return redirectTo(ACCOUNT_PATH, { done: 'passkey_renamed' });
}

/** POST /dashboard/account/passkeys/remove: also ends other sessions started with it. */
export async function removeOwnPasskey(call: DashboardCall): Promise<Response> {
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
export async function revokeOwnSession(call: DashboardCall): Promise<Response> {
  if (!(await revoke(call, call.params.session ?? '', {}))) {
    throw problem('not_found');
  }
  return redirectTo(ACCOUNT_PATH, { done: 'session_revoked' });
}

/** POST /dashboard/sign-out */
export async function signOut(call: DashboardCall): Promise<Response> {
  await revoke(call, call.session.id, { signedOut: true });
  return redirectTo('/dashboard/sign-in', { cookies: [endedSessionCookie(call.request)] });
}

/** False when the member has no such session. */
function revoke(
  call: DashboardCall,
  id: string,
  detail: { readonly signedOut?: true },
): Promise<boolean> {
  const change = revokeSession(call.session.memberId, id, call.nowMs);
  const act = { action: 'session.revoked', target: id, detail } as const;
  return changePeople(call, change, act);
}

/** POST /dashboard/account/sessions/revoke-others */
export async function revokeOwnOtherSessions(call: DashboardCall): Promise<Response> {
  const { memberId, id } = call.session;
  await changePeople(call, revokeOtherSessions(memberId, id, call.nowMs), {
    action: 'session.revoked',
    target: memberId,
    detail: { which: 'others' },
  });
  return redirectTo(ACCOUNT_PATH, { done: 'sessions_revoked' });
}
