import type { Method } from '../../domain/method.ts';
import { METHOD_INITIALS } from '../../i18n/methods.ts';

/** The operator's logo of a method, or else a neutral tile with its initials. */
export function MethodMark(props: { readonly method: Method; readonly logo: string | undefined }) {
  return props.logo === undefined ? (
    <span class="mark" aria-hidden="true">
      {METHOD_INITIALS[props.method]}
    </span>
  ) : (
    <img class="mark" src={props.logo} width="36" height="36" alt="" decoding="async" />
  );
}
