import type { Problem } from '../../http/problem.ts';
import { DESK_TEXTS } from '../../i18n/back-office.ts';
import { answerPage } from '../../ui/answer.ts';
import { DeskFrame, deskView } from './frame.tsx';

/** What a browser shows in place of a page of the desk. */
export function deskProblem(request: Request, problem: Problem): Response {
  const view = deskView(request);
  const { problems } = DESK_TEXTS[view.language].pages;
  const known = Object.entries(problems).find(([status]) => status === String(problem.status));
  const { title, text } = known?.[1] ?? problems.other;
  const page = (
    <DeskFrame view={view} title={title} active={null}>
      <p>{text}</p>
    </DeskFrame>
  );
  const response = answerPage({ request }, page, { status: problem.status });
  for (const [name, value] of Object.entries(problem.headers)) {
    response.headers.set(name, value);
  }
  return response;
}
