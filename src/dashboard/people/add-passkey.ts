import { isConstraintFailure, runBatch } from '../../database.ts';
import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import {
  challengeOf,
  endedChallengeCookie,
  forgetSpentChallenges,
  issueChallenge,
  spendChallenge,
} from '../../members/challenge.ts';
import { registrationIn } from '../../members/credential.ts';
import { nameFrom } from '../../members/members.ts';
import { insertPasskey, knownPasskeys } from '../../members/passkeys.ts';
import {
  registrationOptions,
  relyingPartyOf,
  verifiedRegistration,
} from '../../members/verification.ts';
import { answerJson } from '../../ui/answer.ts';
import type { DashboardCall } from '../call.ts';
import { entry } from './entries.ts';
import { refused } from './refusal.ts';

/** Telephone, computer, security key, their successors; more are a mistake or a trick. */
export const PASSKEYS_PER_MEMBER_MAX = 20;

/** POST /dashboard/account/passkeys/options */
export async function beginAddPasskey(call: DashboardCall): Promise<Response> {
  const { session, env } = call;
  const { memberId, memberName, merchantName } = session;
  const known = await knownPasskeys(env.DB, memberId);
  if (nameFrom(call.form.text('passkey')) === null) {
    return answerJson({ message: DASHBOARD_TEXTS[call.language].signIn.badName }, { status: 400 });
  }
  if (known.length >= PASSKEYS_PER_MEMBER_MAX) {
    return answerJson({ message: DASHBOARD_TEXTS[call.language].signIn.tooMany }, { status: 400 });
  }
  const { bytes, cookie } = await issueChallenge(call, 'add-passkey', {
    issuedFor: session.digest,
    memberId,
  });
  const request = { memberId, memberName, merchantName, known };
  const options = await registrationOptions(relyingPartyOf(call), bytes, request);
  return answerJson(options, { cookies: [cookie] });
}

/** POST /dashboard/account/passkeys */
export async function finishAddPasskey(call: DashboardCall): Promise<Response> {
  const { session, env, form, nowMs } = call;
  const credential = registrationIn(form.text('credential'));
  const name = nameFrom(form.text('passkey'));
  if (credential === null || name === null) {
    return refused(call, 'add-passkey', 'malformed');
  }
  const challenge = await challengeOf(call, 'add-passkey', session.digest);
  if (challenge === null || challenge.memberId !== session.memberId) {
    return refused(call, 'add-passkey', 'challenge');
  }
  const passkey = await verifiedRegistration(relyingPartyOf(call), challenge, credential);
  if (passkey === null) {
    return refused(call, 'add-passkey', 'unverified');
  }
  try {
    await runBatch(env.DB, [
      insertPasskey(session.memberId, passkey, name, nowMs),
      spendChallenge(challenge),
      entry(call, {
        action: 'passkey.added',
        target: session.memberId,
        detail: { passkey: name },
      }),
      forgetSpentChallenges(nowMs),
    ]);
  } catch (error) {
    if (isConstraintFailure(error)) {
      return refused(call, 'add-passkey', 'not_taken');
    }
    throw error;
  }
  return answerJson({}, { cookies: [endedChallengeCookie(call.request)] });
}
