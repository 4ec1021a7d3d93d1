import { answerPage } from '../../dashboard/response.tsx';
import type { Problem } from '../../http/problem.ts';
import { DeskFrame, deskView } from './frame.tsx';
import { deskWords } from './words.ts';

/** What a browser shows in place of a page of the desk. */
export function deskProblem(request: Request, problem: Problem): Response {
  const view = deskView(request);
  const { problems } = deskWords[view.language];
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
