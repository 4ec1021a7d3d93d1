import { clientAddress } from '../../../src/kit/http/rate-limit.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { challengeOf, issueChallenge, memberIdIn } from '../../members/challenge.ts';
import { readJson, SignInBody } from '../../members/credential.ts';
import { findPasskey, unusedSince, usePasskey } from '../../members/passkeys.ts';
import { sessionOf, sessionTokenOf, startSession } from '../../members/sessions.ts';
import { assertionOptions, relyingPartyOf, verifiedAssertion } from '../../members/verification.ts';
import { answerJson, answerPage, redirectTo } from '../../ui/answer.ts';
import type { PublicCall } from '../call.ts';
import { PublicFrame } from '../frame.tsx';
import { finishCeremony, refused } from './ceremony.ts';
import { PasskeyForm } from './passkey-form.tsx';

/** GET /dashboard/sign-in: redirects a signed-in member. */
export async function showSignIn(call: PublicCall): Promise<Response> {
  const next = nextPath(call.url.searchParams.get('next'));
  const token = await sessionTokenOf(call.request, call.config);
  const session = token && (await sessionOf(token, call));
  return session === null ? answerPage(call, <SignInPage next={next} />) : redirectTo(next);
}

/** One button; the browser asks for everything else. */
function SignInPage(props: { readonly next: string }) {
  const { next } = props;
  const text = useTexts(DASHBOARD_TEXTS).signIn;
  return (
    <PublicFrame title={text.signIn.title}>
      <section class="card">
        <p>{text.whatPasskeysAre}</p>
        <PasskeyForm ceremony="sign-in" path="/dashboard/sign-in" next={next}>
          <button class="primary wide" type="submit">
            {text.signIn.button}
          </button>
        </PasskeyForm>
      </section>
      <p class="small quiet">{text.signIn.otherDevice}</p>
      <p class="small quiet">{text.signIn.lost}</p>
    </PublicFrame>
  );
}

/** POST /dashboard/sign-in/options */
export async function beginSignIn(call: PublicCall): Promise<Response> {
  const { bytes, cookie } = await issueChallenge(call, 'sign-in', { issuedFor: '', memberId: '' });
  const options = await assertionOptions(relyingPartyOf(call), bytes);
  return answerJson(options, { cookies: [cookie] });
}

/** POST /dashboard/sign-in: the passkey identifies the member. */
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
  const passkey = await findPasskey(env.BACK_OFFICE_DB, body.credential.id);
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
  const { statements, cookie } = await startSession(
    { request, config: call.config, address: clientAddress(request), nowMs },
    { ...passkey, passkeyName: passkey.name },
  );
  return finishCeremony(call, 'sign-in', challenge, {
    required: unusedSince(passkey),
    statements: [usePasskey(passkey, assertion, nowMs), ...statements],
    cookie,
  });
}

/** A placeholder for our own origin in `nextPath`. */
const BASE = 'https://dashboard.invalid';

/** Pages that would lead a signed-in member back to the sign-in. */
const NOT_AGAIN = /^\/dashboard\/(?:sign-in|sign-out|join)(?:\/|$)/;

/**
 * Where signing in leads: the requested page if it is the dashboard's, else its first page. The URL
 * is parsed as browsers do, so that no spelling of another site's URL passes as ours.
 */
export function nextPath(text: string | null): string {
  const url = text?.startsWith('/') ? URL.parse(text, BASE) : null;
  if (url === null || url.origin !== BASE || NOT_AGAIN.test(url.pathname)) {
    return '/dashboard';
  }
  const isDashboard = url.pathname === '/dashboard' || url.pathname.startsWith('/dashboard/');
  return isDashboard ? `${url.pathname}${url.search}` : '/dashboard';
}
