import { auditEntry } from '../../audit/log.ts';
import { isConstraintFailure, runBatch, type SqlStatement } from '../../database.ts';
import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { browserName } from '../../members/browser-name.ts';
import {
  challengeOf,
  endedChallengeCookie,
  forgetSpentChallenges,
  issueChallenge,
  spendChallenge,
} from '../../members/challenge.ts';
import { JoinBody, JoinOptionsBody, readJson } from '../../members/credential.ts';
import {
  findInvitation,
  type Invitation,
  revokeRecoveriesOf,
  useInvitation,
} from '../../members/invitations.ts';
import { insertMember, nameFrom, newId } from '../../members/members.ts';
import { deletePasskeysOf, insertPasskey, knownPasskeys } from '../../members/passkeys.ts';
import { revokeSessionsOf } from '../../members/sessions.ts';
import {
  type NewPasskey,
  registrationOptions,
  relyingPartyOf,
  verifiedRegistration,
} from '../../members/verification.ts';
import { answerJson, answerPage } from '../../ui/answer.ts';
import { addressOf, type PublicCall } from '../call.ts';
import { JoinPage, LinkEndedPage } from './join-page.tsx';
import { refused } from './refusal.ts';
import { startSession } from './start-session.ts';

/** GET /dashboard/join?token=…. Looking uses nothing up: messengers look at every link. */
export async function showJoin(call: PublicCall): Promise<Response> {
  const token = call.url.searchParams.get('token') ?? '';
  const invitation = await invitationOf(call, token);
  if (invitation === null) {
    return answerPage(call, <LinkEndedPage call={call} />, { status: 404 });
  }
  const passkeyName = browserName(call.request.headers.get('user-agent') ?? '');
  const page = (
    <JoinPage call={call} token={token} invitation={invitation} passkeyName={passkeyName} />
  );
  const response = answerPage(call, page);
  // The address is the link: no request of this page carries it on, not even to ourselves.
  response.headers.set('referrer-policy', 'no-referrer');
  return response;
}

/** POST /dashboard/join/options */
export async function beginJoin(call: PublicCall): Promise<Response> {
  const body = await readJson(call.request, JoinOptionsBody);
  if (body === null) {
    return refused(call, 'join', 'malformed');
  }
  const invitation = await invitationOf(call, body.token);
  if (invitation === null) {
    return refused(call, 'join', 'link');
  }
  const memberName = nameOf(invitation, body.name);
  if (memberName === null) {
    return badName(call);
  }
  const memberId = invitation.memberId ?? newId('mem');
  const { bytes, cookie } = await issueChallenge(call, 'join', {
    issuedFor: invitation.digest,
    memberId,
  });
  const options = await registrationOptions(relyingPartyOf(call), bytes, {
    memberId,
    memberName,
    merchantName: invitation.merchantName,
    known: await knownPasskeys(call.env.DB, memberId),
  });
  return answerJson(options, { cookies: [cookie] });
}

/** POST /dashboard/join: the member, the passkey and the session come to be together. */
export async function finishJoin(call: PublicCall): Promise<Response> {
  const body = await readJson(call.request, JoinBody);
  if (body === null) {
    return refused(call, 'join', 'malformed');
  }
  const invitation = await invitationOf(call, body.token);
  if (invitation === null) {
    return refused(call, 'join', 'link');
  }
  const challenge = await challengeOf(call, 'join', invitation.digest);
  if (challenge === null) {
    return refused(call, 'join', 'challenge');
  }
  const memberName = nameOf(invitation, body.name);
  const passkeyName = nameFrom(body.passkey);
  if (memberName === null || passkeyName === null) {
    return badName(call);
  }
  const passkey = await verifiedRegistration(relyingPartyOf(call), challenge, body.credential);
  if (passkey === null) {
    return refused(call, 'join', 'unverified');
  }
  const { memberId } = challenge;
  const joiner = { memberId, memberName, passkey, passkeyName };
  const { credentialId } = passkey;
  const { merchantId } = invitation;
  const session = await startSession(call, {
    memberId,
    memberName,
    merchantId,
    credentialId,
    passkeyName,
  });
  try {
    await runBatch(call.env.DB, [
      useInvitation(invitation.digest, call.nowMs),
      spendChallenge(challenge),
      ...(invitation.memberId === null
        ? joining(call, invitation, joiner)
        : recovering(call, invitation, joiner)),
      ...session.statements,
      forgetSpentChallenges(call.nowMs),
    ]);
  } catch (error) {
    if (isConstraintFailure(error)) {
      return refused(call, 'join', 'not_taken');
    }
    throw error;
  }
  return answerJson({}, { cookies: [session.cookie, endedChallengeCookie(call.request)] });
}

interface Joiner {
  readonly memberId: string;
  readonly memberName: string;
  readonly passkey: NewPasskey;
  readonly passkeyName: string;
}

function joining(
  { request, nowMs }: PublicCall,
  { id, merchantId, role }: Invitation,
  { memberId, memberName, passkey, passkeyName }: Joiner,
): readonly SqlStatement[] {
  return [
    insertMember({ id: memberId, merchantId, name: memberName, role, createdAtMs: nowMs }),
    insertPasskey(memberId, passkey, passkeyName, nowMs),
    auditEntry({
      actor: { kind: 'member', id: memberId, name: memberName, address: addressOf(request) },
      merchantId,
      environment: null,
      action: 'member.joined',
      target: memberId,
      detail: { name: memberName, role, invitation: id },
      atMs: nowMs,
    }),
  ];
}

/**
 * Whoever lost a passkey does not know who has it now: what was there opens nothing any more, other
 * links like this one included.
 */
function recovering(
  { request, nowMs }: PublicCall,
  { id, merchantId }: Invitation,
  { memberId, memberName, passkey, passkeyName }: Joiner,
): readonly SqlStatement[] {
  return [
    revokeSessionsOf(memberId, nowMs),
    revokeRecoveriesOf(memberId, nowMs),
    deletePasskeysOf(memberId),
    insertPasskey(memberId, passkey, passkeyName, nowMs),
    auditEntry({
      actor: { kind: 'member', id: memberId, name: memberName, address: addressOf(request) },
      merchantId,
      environment: null,
      action: 'passkey.added',
      target: memberId,
      detail: { passkey: passkeyName, invitation: id },
      atMs: nowMs,
    }),
  ];
}

function invitationOf({ env, nowMs }: PublicCall, token: string): Promise<Invitation | null> {
  return findInvitation(env.DB, token, nowMs);
}

/** A new member may write their name differently; one who comes back keeps theirs. */
function nameOf(invitation: Invitation, text: string): string | null {
  return invitation.memberId === null ? nameFrom(text) : invitation.name;
}

function badName({ language }: PublicCall): Response {
  return answerJson({ message: DASHBOARD_TEXTS[language].signIn.badName }, { status: 400 });
}
