import { isOfProgram } from '../../src/kit/http/common-headers.ts';
import { type ProblemContext, problemResponse } from '../../src/kit/http/envelope.ts';
import { BACK_OFFICE_HEALTH_PATH, HEALTH_PATH, healthBy } from '../../src/kit/http/health.ts';
import type { Problem } from '../../src/kit/http/problem.ts';
import { AreaRouter, methodNotAllowed } from '../../src/kit/http/router.ts';
import { webUrl } from '../../src/kit/http/web-url.ts';
import { backOfficeConfigOf } from '../config.ts';
import type { BackOfficeEnv } from '../env.ts';
import { answerPage } from '../ui/answer.ts';
import { showDocument } from './docs.ts';
import { HomePage, MissingPage } from './home-page.tsx';

/**
 * `/`, the documentation under `/docs` and in `/llms*.txt`, and the Worker's health. It needs neither
 * secrets nor tables, so it works on a gateway without them.
 */
export const homeRouter = new AreaRouter<BackOfficeEnv>({
  refuse,
  failureEvent: 'page_failed',
  outageEvent: 'page_failed',
  refusalEvent: null,
});

homeRouter.get('/', async (request, env) => {
  const sourceUrl = webUrl(env.SOURCE_URL)?.href ?? null;
  return answerPage({ request }, <HomePage sourceUrl={sourceUrl} />);
});

for (const path of ['/docs', '/docs/*', '/llms.txt', '/llms-full.txt', '/llms-merchant.txt']) {
  homeRouter.get(path, showDocument);
}

for (const path of [HEALTH_PATH, BACK_OFFICE_HEALTH_PATH]) {
  homeRouter.get(path, healthBy(backOfficeConfigOf));
}

function refuse(request: Request, problem: Problem, context: ProblemContext): Response {
  // A program that was given this address in place of the payments' one.
  if (isOfProgram(request)) {
    return problemResponse(request, problem, context);
  }
  switch (problem.status) {
    case 404:
      return answerPage({ request }, <MissingPage />, { status: 404 });
    case 405:
      return methodNotAllowed(problem);
    default:
      return problemResponse(request, problem, context);
  }
}
