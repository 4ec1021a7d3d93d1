import { CHANGES_PAUSED_RETRY_SECONDS } from '../../../src/control/rpc/changes-paused.ts';
import {
  isConstraintFailure,
  runBatch,
  type SqlStatement,
} from '../../../src/kit/platform/database.ts';
import { log } from '../../../src/kit/platform/log.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import {
  type Ceremony,
  type Challenge,
  endedChallengeCookie,
  forgetSpentChallenges,
  issueChallenge,
  spendChallenge,
} from '../../members/challenge.ts';
import {
  type RegistrationRequest,
  registrationOptions,
  relyingPartyOf,
} from '../../members/verification.ts';
import { tellRefusedSignIn } from '../../refused-sign-ins.ts';
import { answerJson } from '../../ui/answer.ts';
import type { PublicCall } from '../call.ts';

/** What all uses of passkeys share: responses to our script. */

/** What was wrong, for the log, without naming the passkey or the link. */
export type RefusalReason =
  | 'malformed'
  | 'challenge'
  | 'unknown_passkey'
  | 'user_handle'
  | 'unverified'
  | 'link'
  | 'not_taken';

/** The same response to every failure, so that an attacker learns nothing. */
export function refused(call: PublicCall, ceremony: Ceremony, reason: RefusalReason): Response {
  logRefused(ceremony, reason);
  if (ceremony === 'sign-in') {
    call.ctx.waitUntil(tellRefusedSignIn(call.env, 'members', call.nowMs));
  }
  return answerRefused(call, ceremony);
}

export function logRefused(ceremony: Ceremony, reason: RefusalReason): void {
  log('warn', 'passkey_refused', { ceremony, reason });
}

export function answerRefused({ language }: PublicCall, ceremony: Ceremony): Response {
  const { signIn, refunds } = DASHBOARD_TEXTS[language];
  const message = ceremony === 'refund' ? refunds.refused : signIn.refused;
  return answerJson({ message }, { status: 401 });
}

/** What the member can correct. */
export function unfit({ language }: PublicCall, why: 'badName' | 'tooMany'): Response {
  return answerJson({ message: DASHBOARD_TEXTS[language].signIn[why] }, { status: 400 });
}

/** Joining is a change too, so it waits until the operator ends the pause. */
export function answerPaused({ language }: PublicCall): Response {
  const { text: message } = DASHBOARD_TEXTS[language].frame.notices.paused;
  return answerJson({ message }, { status: 503, retryAfterSeconds: CHANGES_PAUSED_RETRY_SECONDS });
}

/** What the browser needs to create a passkey. `issuedFor`: see `Challenge`. */
export async function offerRegistration(
  call: PublicCall,
  ceremony: Ceremony,
  issuedFor: string,
  request: RegistrationRequest,
): Promise<Response> {
  const { memberId } = request;
  const { bytes, cookie } = await issueChallenge(call, ceremony, { issuedFor, memberId });
  const options = await registrationOptions(relyingPartyOf(call), bytes, request);
  return answerJson(options, { cookies: [cookie] });
}

interface CeremonyChanges {
  readonly required: SqlStatement;
  readonly statements: readonly SqlStatement[];
}

/** Uses the ceremony's challenge and runs its statements, as `useChallenge`. */
export async function finishCeremony(
  call: PublicCall,
  ceremony: Ceremony,
  challenge: Challenge,
  {
    cookie,
    ...changes
  }: CeremonyChanges & {
    /** The `Set-Cookie` of the new session. */
    readonly cookie?: string;
  },
): Promise<Response> {
  if (!(await useChallenge(call, challenge, changes))) {
    return refused(call, ceremony, 'not_taken');
  }
  const ended = endedChallengeCookie(call.request);
  return answerJson({}, { cookies: cookie === undefined ? [ended] : [cookie, ended] });
}

/**
 * Uses the challenge and runs the statements, in one batch. False, with nothing changed, if
 * `required` finds no row, or if the challenge was already used.
 */
export async function useChallenge(
  call: Pick<PublicCall, 'env' | 'nowMs'>,
  challenge: Challenge,
  { required, statements }: CeremonyChanges,
): Promise<boolean> {
  try {
    await runBatch(call.env.BACK_OFFICE_DB, [
      spendChallenge(challenge, required),
      ...statements,
      forgetSpentChallenges(call.nowMs),
    ]);
    return true;
  } catch (error) {
    if (isConstraintFailure(error)) {
      return false;
    }
    throw error;
  }
}
