import { sha256Hex } from '../../../src/kit/crypto/encoding.ts';
import {
  type Ceremony,
  type Challenge,
  challengeOf,
  endedChallengeCookie,
  issueChallenge,
} from '../../members/challenge.ts';
import { type Assertion, assertionIn } from '../../members/credential.ts';
import { findPasskey, knownPasskeys, unusedSince, usePasskey } from '../../members/passkeys.ts';
import type { Permission } from '../../members/permissions.ts';
import { assertionOptions, relyingPartyOf, verifiedAssertion } from '../../members/verification.ts';
import { answerJson } from '../../ui/answer.ts';
import type { DashboardCall } from '../call.ts';
import { type DashboardRoute, post } from '../route.ts';
import { answerRefused, logRefused, type RefusalReason, useChallenge } from './ceremony.ts';

/**
 * A fresh signature by one of the member's own passkeys, for an action that a stolen session must
 * not do. The challenge belongs to one session and one action, with everything that matters about
 * it, and works once.
 */

/** What the member confirms: every value that must not change after the signature. */
export type ConfirmedAction = readonly (string | number | null)[];

/**
 * What the browser needs to ask for one of the member's passkeys. With null, a 204: the browser may
 * send the form as it is, also an invalid one, whose answer then says what is wrong.
 */
export async function offerConfirmation(
  call: DashboardCall,
  ceremony: Ceremony,
  action: ConfirmedAction | null,
): Promise<Response> {
  if (action === null) {
    return new Response(null, { status: 204 });
  }
  const { memberId } = call.session;
  const issuedFor = await digestOf(call, action);
  const [{ bytes, cookie }, known] = await Promise.all([
    issueChallenge(call, ceremony, { issuedFor, memberId }),
    knownPasskeys(call.env.BACK_OFFICE_DB, memberId),
  ]);
  const options = await assertionOptions(relyingPartyOf(call), bytes, known);
  return answerJson(options, { cookies: [cookie] });
}

/** What a form asks for. */
export interface Asked {
  /** What the member confirms; null for a form that needs no confirmation, also for a wrong one. */
  readonly action: ConfirmedAction | null;
  /** Makes the change, or says what is wrong with the form. */
  readonly run: () => Response | Promise<Response>;
  /** Says that the member has not confirmed it. */
  readonly refuse: () => Response | Promise<Response>;
}

/** A form that is wrong, with the answer that says so. */
export function wrong(run: () => Response | Promise<Response>): Asked {
  return { action: null, run, refuse: run };
}

/** Null in the sandbox, where no money moves and no customer has entered anything. */
export function inProduction(
  { environment }: DashboardCall,
  action: ConfirmedAction | null,
): ConfirmedAction | null {
  return environment === 'production' ? action : null;
}

/** The two routes of a form that a passkey confirms: `path` + "/options" asks for it. */
export function confirmedPost(
  path: DashboardRoute['path'],
  permission: Permission,
  ceremony: Ceremony,
  read: (call: DashboardCall) => Promise<Asked>,
): readonly DashboardRoute[] {
  return [
    post(`${path}/options`, permission, async (call) =>
      offerConfirmation(call, ceremony, (await read(call)).action),
    ),
    post(path, permission, async (call) => {
      const { action, run, refuse } = await read(call);
      return action === null || (await isConfirmed(call, ceremony, action)) ? run() : refuse();
    }),
  ];
}

/**
 * Runs the action if the form's `credential` confirms it. The challenge is used before that. The
 * action records itself.
 */
export async function whenConfirmed(
  call: DashboardCall,
  ceremony: Ceremony,
  action: ConfirmedAction,
  run: () => Promise<Response>,
): Promise<Response> {
  if (!(await isConfirmed(call, ceremony, action))) {
    return answerRefused(call, ceremony);
  }
  const response = await run();
  response.headers.append('set-cookie', endedChallengeCookie(call.request));
  return response;
}

/**
 * Whether the form's `credential` confirms the action. Uses the challenge, so a second answer with
 * this credential is false.
 */
export async function isConfirmed(
  call: DashboardCall,
  ceremony: Ceremony,
  action: ConfirmedAction,
): Promise<boolean> {
  const refusal = await refusalOf(call, ceremony, action);
  if (refusal !== null) {
    logRefused(ceremony, refusal);
  }
  return refusal === null;
}

async function refusalOf(
  call: DashboardCall,
  ceremony: Ceremony,
  action: ConfirmedAction,
): Promise<RefusalReason | null> {
  const credential = assertionIn(call.form.text('credential'));
  if (credential === null) {
    return 'malformed';
  }
  const challenge = await challengeOf(call, ceremony, await digestOf(call, action));
  return challenge === null ? 'challenge' : verifyAndUse(call, challenge, credential);
}

async function verifyAndUse(
  call: DashboardCall,
  challenge: Challenge,
  credential: Assertion,
): Promise<RefusalReason | null> {
  const { env, session, nowMs } = call;
  const passkey = await findPasskey(env.BACK_OFFICE_DB, credential.id);
  if (passkey === null || passkey.memberId !== session.memberId) {
    return 'unknown_passkey';
  }
  const assertion = await verifiedAssertion(relyingPartyOf(call), challenge, credential, passkey);
  if (assertion === null) {
    return 'unverified';
  }
  const isUsed = await useChallenge(call, challenge, {
    required: unusedSince(passkey),
    statements: [usePasskey(passkey, assertion, nowMs)],
  });
  return isUsed ? null : 'not_taken';
}

/** The session is part of it: another session's challenge confirms nothing here. */
export function digestOf(
  { session, environment }: DashboardCall,
  action: ConfirmedAction,
): Promise<string> {
  return sha256Hex(JSON.stringify([session.digest, environment, ...action]));
}
