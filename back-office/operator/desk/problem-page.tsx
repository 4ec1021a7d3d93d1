import type { Problem } from '../../../src/kit/http/problem.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DESK_TEXTS } from '../../i18n/texts.ts';
import { answerPage } from '../../ui/answer.ts';
import { ButtonLink } from '../../ui/elements.tsx';
import { BackOfficePage } from '../../ui/page.tsx';
import { DeskNavigation } from './frame.tsx';
import { PATHS } from './paths.ts';
import { SignInPage } from './sign-in-page.tsx';

type Refusal = Pick<Problem, 'status' | 'headers'> & Partial<Pick<Problem, 'code'>>;

/** The page that explains a refusal, without anything from the database. A 401 asks for the secret. */
export function deskProblem(
  request: Request,
  { status, headers, code }: Refusal,
  answeredStatus = status,
): Response {
  const url = new URL(request.url);
  // A post's own URL cannot be fetched.
  const shownUrl = request.method === 'POST' ? new URL(PATHS.attention, url) : url;
  const page =
    status === 401 ? (
      <SignInPage isSecretWrong={code === 'operator_secret_invalid'} />
    ) : (
      <ProblemPage status={status} />
    );
  const response = answerPage({ request, url: shownUrl }, page, { status: answeredStatus });
  for (const [name, value] of Object.entries(headers)) {
    response.headers.set(name, value);
  }
  return response;
}

function ProblemPage({ status }: Pick<Refusal, 'status'>) {
  const text = useTexts(DESK_TEXTS).pages;
  const known = Object.entries(text.problems).find(([key]) => key === String(status));
  const { title, text: lead } = known?.[1] ?? text.problems.other;
  return (
    <BackOfficePage
      heading={title}
      titleParts={[text.product]}
      home={PATHS.attention}
      header={<DeskNavigation active={null} counts={{}} />}
      isNarrow
    >
      <p>{lead}</p>
      <p>
        <ButtonLink to={PATHS.attention}>{text.nav.attention}</ButtonLink>
      </p>
    </BackOfficePage>
  );
}
