import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import type { PublicCall } from '../call.ts';
import { PublicFrame } from '../frame.tsx';
import { PasskeyForm } from './passkey-form.tsx';

/** One button: the browser asks for everything else. */
export function SignInPage(props: { readonly call: PublicCall; readonly next: string }) {
  const { call, next } = props;
  const text = DASHBOARD_TEXTS[call.language].signIn;
  return (
    <PublicFrame call={call} title={text.signIn.title}>
      <section class="card">
        <p>{text.whatPasskeysAre}</p>
        <PasskeyForm call={call} ceremony="sign-in" path="/dashboard/sign-in" next={next}>
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
