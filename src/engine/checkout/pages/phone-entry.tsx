import { type Method, TRAITS } from '../../domain/method.ts';
import type { CheckoutMessages } from '../../i18n/messages.ts';
import { useText } from '../texts.ts';
import type { PhoneField } from '../view.ts';
import { problemText } from './choose-notices.tsx';
import type { ChooseProps } from './props.ts';

/**
 * Shown right below the chosen method, by CSS alone, with the hint of that method. The radios are
 * one tab stop, so the focus order stays the visual order.
 */
export function PhoneEntry(props: ChooseProps & { readonly phone: PhoneField }) {
  const { state, phone } = props;
  const text = useText();
  // The other problems have only a notice.
  const problem = state.problem?.startsWith('phone_')
    ? problemText(text, state.problem, state.selected)
    : '';
  const isWrong = problem !== '';
  return (
    <div class="field">
      <label for="phone">{text.phoneLabel}</label>
      {phone.wasAsked !== null && <p id="phone-asked">{text.lastNumber(phone.wasAsked)}</p>}
      <p class="quiet small" id="phone-hint">
        {phone.isReadOnly
          ? text.phoneFixed
          : state.methods.map(({ method, phoneStarts }, index) =>
              phoneStarts === null ? null : (
                <span class={`hint hint-${index + 1}`} id={`hint-${method}`}>
                  {phoneHint(text, method)}{' '}
                </span>
              ),
            )}
      </p>
      <p
        class="field-problem"
        id="phone-problem"
        data-missing={text.problem.phone_missing}
        data-invalid={text.problem.phone_invalid}
        hidden={!isWrong}
      >
        {problem}
      </p>
      <input
        id="phone"
        name="phone"
        type="tel"
        inputmode="tel"
        autocomplete="tel"
        maxlength={40}
        value={phone.value}
        readonly={phone.isReadOnly}
        autofocus={isWrong || phone.wasAsked !== null}
        aria-invalid={isWrong ? 'true' : undefined}
        aria-describedby={`phone-problem phone-hint${phone.wasAsked === null ? '' : ' phone-asked'}`}
      />
    </div>
  );
}

function phoneHint(text: CheckoutMessages, method: Method): string {
  const { phoneStart, account = method } = TRAITS[method];
  return phoneStart === '7' ? text.phoneHintMpesa : text.phoneHint(text.methodName[account]);
}
