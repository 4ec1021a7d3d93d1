import { isConstraintFailure, runBatch } from '../../database.ts';
import {
  challengeOf,
  endedChallengeCookie,
  forgetSpentChallenges,
  issueChallenge,
  memberIdIn,
  spendChallenge,
} from '../../members/challenge.ts';
import { readJson, SignInBody } from '../../members/credential.ts';
import { findPasskey, usePasskey } from '../../members/passkeys.ts';
import { sessionOf } from '../../members/sessions.ts';
import { assertionOptions, relyingPartyOf, verifiedAssertion } from '../../members/verification.ts';
import { answerJson, answerPage, redirectTo } from '../../ui/answer.ts';
import type { PublicCall } from '../call.ts';
import { nextPath } from './next-path.ts';
import { refused } from './refusal.ts';
import { SignInPage } from './sign-in-page.tsx';
import { startSession } from './start-session.ts';

/** GET /dashboard/sign-in: whoever is signed in goes on at once. */
export async function showSignIn(call: PublicCall): Promise<Response> {
  const next = nextPath(call.url.searchParams.get('next'));
  const session = await sessionOf(call.request, call.env, call.ctx, call.nowMs);
  return session === null
    ? answerPage(call, <SignInPage call={call} next={next} />)
    : redirectTo(call, next);
}

/** POST /dashboard/sign-in/options */
export async function beginSignIn(call: PublicCall): Promise<Response> {
  const { bytes, cookie } = await issueChallenge(call, 'sign-in', { issuedFor: '', memberId: '' });
  const options = await assertionOptions(relyingPartyOf(call), bytes);
  return answerJson(options, { cookies: [cookie] });
}

/** POST /dashboard/sign-in: the passkey itself says whose it is. */
export async function finishSignIn(call: PublicCall): Promise<Response> {
  const { request, env, nowMs } = call;
  const body = await readJson(request, SignInBody);
  if (body === null) {
    return refused(call, 'sign-in', 'malformed');
  }
  const challenge = await challengeOf(call, 'sign-in', '');
  if (challenge === null) {
    return refused(call, 'sign-in', 'challenge');
  }
  const passkey = await findPasskey(env.DB, body.credential.id);
  if (passkey === null) {
    return refused(call, 'sign-in', 'unknown_passkey');
  }
  if (memberIdIn(body.credential.response.userHandle) !== passkey.memberId) {
    return refused(call, 'sign-in', 'user_handle');
  }
  const party = relyingPartyOf(call);
  const assertion = await verifiedAssertion(party, challenge, body.credential, passkey);
  if (assertion === null) {
    return refused(call, 'sign-in', 'unverified');
  }
  const session = await startSession(call, { ...passkey, passkeyName: passkey.name });
  try {
    await runBatch(env.DB, [
      usePasskey(passkey, assertion, nowMs),
      spendChallenge(challenge),
      ...session.statements,
      forgetSpentChallenges(nowMs),
    ]);
  } catch (error) {
    if (isConstraintFailure(error)) {
      return refused(call, 'sign-in', 'not_taken');
    }
    throw error;
  }
  return answerJson({}, { cookies: [session.cookie, endedChallengeCookie(request)] });
}
