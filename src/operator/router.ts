import { configOf } from '../config.ts';
import { problemResponse } from '../http/envelope.ts';
import { AreaRouter, type Refuse } from '../http/router.ts';
import { authenticateOperator, type Schemes } from './authenticate.ts';
import type { OperatorRoute } from './call.ts';
import { deskProblem } from './desk/frame.tsx';
import { DESK_ROUTES } from './desk/routes.ts';
import { API_ROUTES } from './routes.ts';

const refuse: Refuse = (_request, problem) => problemResponse(problem);

/** The operator's API, and the read-only desk. */
export const operatorRouter = new AreaRouter({
  refuse,
  failureEvent: 'operator_failed',
  outageEvent: 'intent_unavailable',
  outageReason: 'payment_unreachable',
});

for (const route of API_ROUTES) {
  register(route, ['Bearer'], refuse);
}
for (const route of DESK_ROUTES) {
  // Browsers resend a password automatically, even when another site's page links here. So a
  // password opens only these pages, which change nothing.
  register(route, ['Basic', 'Bearer'], deskProblem);
}

function register({ method, path, handle }: OperatorRoute, schemes: Schemes, answer: Refuse): void {
  const add = method === 'GET' ? 'get' : 'post';
  operatorRouter[add](
    path,
    async (request, env, ctx, params) => {
      const config = configOf(env);
      const nowMs = Date.now();
      const actor = await authenticateOperator(request, env, config, schemes, nowMs);
      const url = new URL(request.url);
      return handle({ request, url, env, ctx, config, params: params(), actor, nowMs });
    },
    answer,
  );
}
