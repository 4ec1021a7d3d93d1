import { auditEntry } from '../../../src/kit/audit/log.ts';
import { clientAddress } from '../../../src/kit/http/rate-limit.ts';
import type { SqlStatement } from '../../../src/kit/platform/database.ts';
import { browserName } from '../../members/browser-name.ts';
import { challengeOf } from '../../members/challenge.ts';
import { JoinBody, JoinOptionsBody, readJson } from '../../members/credential.ts';
import {
  findInvitation,
  type Invitation,
  revokeRecoveriesOf,
  usableInvitation,
  useInvitation,
} from '../../members/invitations.ts';
import { insertMember, nameFrom, newId } from '../../members/members.ts';
import { deletePasskeysOf, insertPasskey, knownPasskeys } from '../../members/passkeys.ts';
import { revokeSessionsOf, startSession } from '../../members/sessions.ts';
import {
  type NewPasskey,
  relyingPartyOf,
  verifiedRegistration,
} from '../../members/verification.ts';
import { answerPage } from '../../ui/answer.ts';
import type { PublicCall } from '../call.ts';
import { pausedNotice } from '../notices.tsx';
import { answerPaused, finishCeremony, offerRegistration, refused, unfit } from './ceremony.ts';
import { JoinPage, LinkEndedPage } from './join-page.tsx';

/**
 * GET /dashboard/join?token=…. Opening does not use the link, because messengers fetch every link.
 */
export async function showJoin(call: PublicCall): Promise<Response> {
  const token = call.url.searchParams.get('token') ?? '';
  const invitation = await findInvitation(call, token);
  if (invitation === null) {
    return answerPage(call, <LinkEndedPage />, { status: 404 });
  }
  if (invitation.isPaused) {
    return pausedNotice(call);
  }
  const passkeyName = browserName(call.request.headers.get('user-agent') ?? '');
  const page = <JoinPage token={token} invitation={invitation} passkeyName={passkeyName} />;
  const response = answerPage(call, page);
  // The URL is the link, so no request of this page may send it as a referrer, not even to us.
  response.headers.set('referrer-policy', 'no-referrer');
  return response;
}

/** POST /dashboard/join/options */
export async function beginJoin(call: PublicCall): Promise<Response> {
  const body = await readJson(call.request, JoinOptionsBody);
  if (body === null) {
    return refused(call, 'join', 'malformed');
  }
  const invitation = await findInvitation(call, body.token);
  if (invitation === null) {
    return refused(call, 'join', 'link');
  }
  if (invitation.isPaused) {
    return answerPaused(call);
  }
  const memberName = nameOf(invitation, body.name);
  if (memberName === null) {
    return unfit(call, 'badName');
  }
  const { digest, merchantName, memberId } = invitation;
  return offerRegistration(call, 'join', digest, {
    memberId: memberId ?? newId('mem'),
    memberName,
    merchantName,
    known: memberId === null ? [] : await knownPasskeys(call.env.BACK_OFFICE_DB, memberId),
  });
}

/** POST /dashboard/join: creates member, passkey and session together. */
export async function finishJoin(call: PublicCall): Promise<Response> {
  const { request, nowMs } = call;
  const body = await readJson(request, JoinBody);
  if (body === null) {
    return refused(call, 'join', 'malformed');
  }
  const invitation = await findInvitation(call, body.token);
  if (invitation === null) {
    return refused(call, 'join', 'link');
  }
  if (invitation.isPaused) {
    return answerPaused(call);
  }
  const challenge = await challengeOf(call, 'join', invitation.digest);
  if (challenge === null) {
    return refused(call, 'join', 'challenge');
  }
  const memberName = nameOf(invitation, body.name);
  const passkeyName = nameFrom(body.passkey);
  if (memberName === null || passkeyName === null) {
    return unfit(call, 'badName');
  }
  const passkey = await verifiedRegistration(relyingPartyOf(call), challenge, body.credential);
  if (passkey === null) {
    return refused(call, 'join', 'unverified');
  }
  const joiner = { memberId: challenge.memberId, memberName, passkey, passkeyName };
  const session = await startSession(
    { request, config: call.config, address: clientAddress(request), nowMs },
    { ...joiner, merchantId: invitation.merchantId, credentialId: passkey.credentialId },
  );
  return finishCeremony(call, 'join', challenge, {
    required: usableInvitation(invitation.digest, nowMs),
    statements: [
      useInvitation(invitation.digest, nowMs),
      ...admission(call, invitation, joiner),
      ...session.statements,
    ],
    cookie: session.cookie,
  });
}

interface Joiner {
  readonly memberId: string;
  readonly memberName: string;
  readonly passkey: NewPasskey;
  readonly passkeyName: string;
}

/**
 * Creates the member, or a new passkey for a member who lost theirs. Someone else may have the lost
 * passkey, so the old passkeys, sessions and recovery links end.
 */
function admission(
  { request, nowMs }: PublicCall,
  invitation: Invitation,
  { memberId, memberName, passkey, passkeyName }: Joiner,
): readonly SqlStatement[] {
  const { id, merchantId, role } = invitation;
  const isNew = invitation.memberId === null;
  return [
    ...(isNew
      ? [insertMember({ id: memberId, merchantId, name: memberName, role, createdAtMs: nowMs })]
      : [
          revokeSessionsOf(memberId, nowMs),
          revokeRecoveriesOf(memberId, nowMs),
          deletePasskeysOf(memberId),
        ]),
    insertPasskey(memberId, passkey, passkeyName, nowMs),
    auditEntry({
      actor: { kind: 'member', id: memberId, name: memberName, address: clientAddress(request) },
      merchantId,
      environment: null,
      action: isNew ? 'member.joined' : 'passkey.added',
      target: memberId,
      detail: isNew
        ? { name: memberName, role, invitation: id }
        : { passkey: passkeyName, invitation: id },
      atMs: nowMs,
    }),
  ];
}

/** A new member may change the invited name; a returning one keeps theirs. */
function nameOf(invitation: Invitation, text: string): string | null {
  return invitation.memberId === null ? nameFrom(text) : invitation.name;
}
