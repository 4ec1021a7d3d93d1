import { type Method, TRAITS } from '../../domain/method.ts';
import type { CheckoutMessages, FormProblem } from '../../i18n/messages.ts';
import { useText } from '../texts.ts';
import type { ChooseState } from '../view.ts';
import type { ChooseProps } from './props.ts';

/** What went wrong before, the latest first. */
export function noticesOf(text: CheckoutMessages, state: ChooseState) {
  const notices: { readonly title: string; readonly lines: readonly string[] }[] = [];
  if (state.hasFailed) {
    notices.push({ title: text.errorTitle, lines: [text.errorLead] });
  }
  if (state.problem !== null) {
    const title = state.problem === 'too_many_prompts' ? text.tooManyTitle : text.problemTitle;
    notices.push({ title, lines: [problemText(text, state.problem, state.selected)] });
  }
  if (state.mayStillSettle) {
    notices.push({ title: text.failureTitle, lines: [text.failure.abandoned] });
  }
  if (state.lastFailure !== null) {
    const last = state.isLastAttempt ? [text.lastAttempt] : [];
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
    : text.problem[problem];
}

/** Notices above the methods, which say what went wrong before. */
export function ChooseNotices({ state }: ChooseProps) {
  const notices = noticesOf(useText(), state);
  return (
    <>
      {notices.map(({ title, lines }, index) => (
        <div class="notice notice-bad" role="alert">
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
