import { type Method, TRAITS } from '../../domain/method.ts';
import type { CheckoutMessages, FormProblem } from '../../i18n/messages.ts';
import { useText } from '../texts.ts';
import type { ChooseState } from '../view.ts';
import type { ChooseProps } from './props.ts';

interface Notice {
  readonly title: string;
  readonly lines: readonly string[];
  /** Nothing went wrong. */
  readonly isCalm?: boolean;
}

/** What happened before, the latest first. */
export function noticesOf(text: CheckoutMessages, state: ChooseState) {
  const notices: Notice[] = [];
  const last = state.isLastAttempt ? [text.lastAttempt] : [];
  if (state.hasFailed) {
    notices.push({ title: text.errorTitle, lines: [text.errorLead] });
  }
  if (state.problem !== null) {
    const title = state.problem === 'too_many_prompts' ? text.tooManyTitle : text.problemTitle;
    notices.push({ title, lines: [problemText(text, state.problem, state.selected)] });
  }
  if (state.left !== null) {
    const lines = [text.leftLead, ...(state.lastFailure === null ? last : [])];
    const title = text.leftTitle(text.methodName[state.left]);
    notices.push({ title, lines, isCalm: true });
  }
  if (state.lastFailure !== null) {
    const lines = [text.failure[state.lastFailure], ...last];
    notices.push({ title: text.failureTitle, lines });
  }
  return notices;
}

/** What is wrong with a form that was refused. */
export function problemText(
  text: CheckoutMessages,
  problem: FormProblem,
  method: Method | null,
): string {
  return problem === 'phone_not_taken' && method !== null && TRAITS[method].phoneStart === '7'
    ? text.phoneHintMpesa
    : text.problem[problem].replace('{example}', phoneExample(method));
}

/** A number as the accounts of the method have it. */
export function phoneExample(method: Method | null): string {
  const isMpesa = method !== null && TRAITS[method].phoneStart === '7';
  return isMpesa ? '0712\u00a0345\u00a0678' : '0911\u00a0234\u00a0567';
}

/** Notices above the methods, which say what happened before. */
export function ChooseNotices({ state }: ChooseProps) {
  const notices = noticesOf(useText(), state);
  return (
    <>
      {notices.map(({ title, lines, isCalm }, index) => (
        <div class={isCalm ? 'notice' : 'notice notice-bad'} role={isCalm ? 'status' : 'alert'}>
          <strong>{title}</strong>
          {lines.map((line) => (
            <p id={index === 0 && state.problem === 'method_missing' ? 'problem' : undefined}>
              {line}
            </p>
          ))}
        </div>
      ))}
    </>
  );
}
