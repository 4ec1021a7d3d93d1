import type { Method } from '../../domain/method.ts';

/** The operator's logo of a method, or else a neutral tile with its initials. */
export function MethodMark(props: { readonly method: Method; readonly logo: string | undefined }) {
  return props.logo === undefined ? (
    <span class="mark" aria-hidden="true">
      {LETTERS[props.method]}
    </span>
  ) : (
    <img class="mark" src={props.logo} width="36" height="36" alt="" decoding="async" />
  );
}

const LETTERS: Readonly<Record<Method, string>> = {
  TELE_BIRR: 't',
  TELE_BIRR_USSD: '*#',
  CBE: 'C',
  ETS_SWITCH: 'ES',
  M_PESA: 'M',
  E_BIRR: 'eB',
};
