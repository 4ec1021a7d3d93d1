import { webUrl } from '../checkout/return-url.ts';
import { type ProblemContext, problemResponse } from '../http/envelope.ts';
import type { Problem } from '../http/problem.ts';
import { AreaRouter, methodNotAllowed } from '../http/router.ts';
import { backOfficeLanguageOf } from '../i18n/back-office.ts';
import { answerPage } from '../ui/answer.ts';
import { HomePage } from './home-page.tsx';

/** `/`. It needs neither secrets nor tables, so it works on a gateway without them. */
export const homeRouter = new AreaRouter({
  refuse,
  failureEvent: 'page_failed',
  outageEvent: 'page_failed',
});

homeRouter.get('/', async (request, env) => {
  const call = { language: backOfficeLanguageOf(request), url: new URL(request.url) };
  const sourceUrl = webUrl(env.SOURCE_URL)?.href ?? null;
  return answerPage({ request }, <HomePage call={call} sourceUrl={sourceUrl} />);
});

function refuse(request: Request, problem: Problem, context: ProblemContext): Response {
  return problem.status === 405
    ? methodNotAllowed(problem)
    : problemResponse(request, problem, context);
}
