import * as newBundle from 'bundle-new';
import * as oldBundle from 'bundle-old';
import { type HostEnv, handlerOf, RECORDED_PATH } from './choose.ts';
import { recordedCrossings, recordMessage } from './record.ts';

/** A back office that has two versions of itself: see `payments.ts`. */

const BUNDLES = { old: oldBundle, new: newBundle };

interface InterfaceAnswer {
  readonly type: string;
  readonly value?: unknown;
}

interface BackOfficeHostEnv extends HostEnv {
  readonly PAYMENTS: {
    call(path: readonly string[], args: readonly unknown[]): Promise<InterfaceAnswer>;
  };
}

let known: BackOfficeHostEnv | null = null;

function bindingsOf(env: BackOfficeHostEnv): BackOfficeHostEnv {
  known ??= {
    ...env,
    PAYMENTS: {
      async call(path, args) {
        const name = `interface ${path.join('.')}`;
        recordMessage('backOffice', 'worker', `${name} request`, args);
        const answer = await env.PAYMENTS.call(path, args);
        const isValue = answer.type === 'value';
        recordMessage('worker', 'backOffice', `${name} answer`, isValue ? answer.value : answer);
        return answer;
      },
    },
  };
  return known;
}

export default {
  fetch(request: Request, env: BackOfficeHostEnv, ctx: ExecutionContext) {
    if (new URL(request.url).pathname === RECORDED_PATH) {
      return Response.json(recordedCrossings());
    }
    const fetch = handlerOf(BUNDLES, env.VERSIONS.backOffice, 'fetch');
    return fetch(request, bindingsOf(env), ctx);
  },
  scheduled(controller: ScheduledController, env: BackOfficeHostEnv, ctx: ExecutionContext) {
    const run = handlerOf(BUNDLES, env.VERSIONS.backOffice, 'scheduled');
    return run(controller, bindingsOf(env), ctx);
  },
};
