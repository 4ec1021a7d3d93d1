import { runBatch } from '../../database.ts';
import type { DashboardMessages } from '../../i18n/messages.ts';
import { browserName } from '../../members/browser-name.ts';
import { nameFrom } from '../../members/members.ts';
import {
  passkeysOf,
  removePasskey,
  renamePasskey,
  revokeSessionsOfRemoved,
} from '../../members/passkeys.ts';
import { openSessions, revokeOtherSessions, revokeSession } from '../../members/sessions.ts';
import { answerPage, redirectTo } from '../../ui/answer.ts';
import type { DashboardCall } from '../call.ts';
import { noticePage } from '../notices.tsx';
import { AccountPage } from './account-page.tsx';
import { entryIfChanged } from './entries.ts';

type AccountProblem = keyof DashboardMessages['account']['problems'];

const PATH = '/dashboard/account';

/** GET /dashboard/account */
export async function showAccount(call: DashboardCall): Promise<Response> {
  return answerAccount(call, null);
}

async function answerAccount(
  call: DashboardCall,
  problem: AccountProblem | null,
): Promise<Response> {
  const { session, env, nowMs, request } = call;
  const [passkeys, sessions] = await Promise.all([
    passkeysOf(env.DB, session.memberId),
    openSessions(env.DB, session.memberId, nowMs),
  ]);
  const page = (
    <AccountPage
      // A form's own path cannot be fetched again by the page's links.
      call={{ ...call, url: new URL(problem === null ? call.url : PATH, call.url) }}
      passkeys={passkeys}
      sessions={sessions}
      newPasskeyName={browserName(request.headers.get('user-agent') ?? '')}
      problem={problem}
    />
  );
  return answerPage(call, page, { status: problem === null ? 200 : 400 });
}

/** POST /dashboard/account/passkeys/rename */
export async function renameOwnPasskey(call: DashboardCall): Promise<Response> {
  const { session, env, form } = call;
  const credentialId = form.text('passkey');
  const name = nameFrom(form.text('name'));
  if (name === null) {
    return answerAccount(call, 'bad_name');
  }
  const [changed] = await runBatch(env.DB, [
    renamePasskey(session.memberId, credentialId, name),
    entryIfChanged(call, {
      action: 'passkey.renamed',
      target: session.memberId,
      detail: { passkey: name },
    }),
  ]);
  return changed === 0
    ? noticePage(call, 'not_found')
    : redirectTo(call, PATH, { done: 'passkey_renamed' });
}

/** POST /dashboard/account/passkeys/remove: what it began elsewhere ends with it. */
export async function removeOwnPasskey(call: DashboardCall): Promise<Response> {
  const { session, env, form, nowMs } = call;
  const { memberId } = session;
  const credentialId = form.text('passkey');
  const passkeys = await passkeysOf(env.DB, memberId);
  const passkey = passkeys.find((candidate) => candidate.credentialId === credentialId);
  if (passkey === undefined) {
    return noticePage(call, 'not_found');
  }
  const [changed] = await runBatch(env.DB, [
    removePasskey(memberId, credentialId),
    entryIfChanged(call, {
      action: 'passkey.removed',
      target: memberId,
      detail: { passkey: passkey.name },
    }),
    revokeSessionsOfRemoved(memberId, credentialId, session.id, nowMs),
  ]);
  return changed === 0
    ? answerAccount(call, 'last_passkey')
    : redirectTo(call, PATH, { done: 'passkey_removed' });
}

/** POST /dashboard/account/sessions/:session/revoke */
export async function revokeOwnSession(call: DashboardCall): Promise<Response> {
  const { session, env, nowMs, params } = call;
  const id = params.session ?? '';
  const [changed] = await runBatch(env.DB, [
    revokeSession(session.memberId, id, nowMs),
    entryIfChanged(call, { action: 'session.revoked', target: id }),
  ]);
  return changed === 0
    ? noticePage(call, 'not_found')
    : redirectTo(call, PATH, { done: 'session_revoked' });
}

/** POST /dashboard/account/sessions/revoke-others */
export async function revokeOwnOtherSessions(call: DashboardCall): Promise<Response> {
  const { session, env, nowMs } = call;
  await runBatch(env.DB, [
    revokeOtherSessions(session.memberId, session.id, nowMs),
    entryIfChanged(call, {
      action: 'session.revoked',
      target: session.memberId,
      detail: { which: 'others' },
    }),
  ]);
  return redirectTo(call, PATH, { done: 'sessions_revoked' });
}
