import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DESK_TEXTS } from '../../i18n/texts.ts';
import { DoneMessage } from '../../ui/elements.tsx';
import { TextField } from '../../ui/fields.tsx';
import { BackOfficePage, usePageUrl } from '../../ui/page.tsx';
import { PATHS, SIGN_IN_PATH } from './paths.ts';

/** A page of the desk, for the way back after signing in: never another site. */
const DESK_ADDRESS = /^\/operator(?:[/?][!-~]{0,2000})?$/;

/** Asks for the secret. Needs neither D1 nor the payments plane. */
export function SignInPage({ isSecretWrong }: { readonly isSecretWrong: boolean }) {
  const text = useTexts(DESK_TEXTS).pages;
  const { pathname, search, searchParams } = usePageUrl();
  const next = pathname === SIGN_IN_PATH ? searchParams.get('next') : pathname + search;
  return (
    <BackOfficePage
      heading={text.problems[401].title}
      titleParts={[text.product]}
      home={PATHS.attention}
      isNarrow
    >
      <DoneMessage texts={text.done} />
      <p>{text.problems[401].text}</p>
      <form class="form" method="post" action={SIGN_IN_PATH} data-once="">
        <input type="hidden" name="next" value={addressIn(next)} />
        <TextField id="name" label={text.name} value="" required={false} autocomplete="username" />
        <TextField
          id="secret"
          type="password"
          label={text.operatorSecret}
          value=""
          error={isSecretWrong ? text.secretInvalid : null}
          autocomplete="current-password"
        />
        <button class="primary" type="submit">
          {text.signIn}
        </button>
      </form>
    </BackOfficePage>
  );
}

/** Where signing in leads: to `text` if it is a page of the desk. */
export function addressIn(text: string | null): string {
  const isOfDesk = text !== null && DESK_ADDRESS.test(text) && !text.startsWith(SIGN_IN_PATH);
  return isOfDesk ? text : PATHS.attention;
}
