import type { BackOfficeEnv } from '../../back-office/env.ts';
import backOffice from '../../back-office/index.ts';
import { OF_BACK_OFFICE } from '../../scripts/dev/front/paths.ts';
import { answerCall } from '../../src/control/rpc/answer.ts';
import payments from '../../src/index.ts';

/**
 * Both planes in one Worker, as tests run them: files share objects, database and clock with what
 * they test. Calls of the interface carry structured clones, as RPC does; the end-to-end tests run
 * two Workers.
 */

export {
  MerchantBook,
  MerchantRegister,
  OperatorAlerts,
  PaymentIntent,
  ProviderFiles,
  ReceiptIndex,
} from '../../src/index.ts';

/** The bindings of both. */
export type BothEnv = Env & BackOfficeEnv;

/** What the back office's Worker is given, with the payments plane behind `env`. */
export function backOfficeEnv(
  env: BothEnv,
  ctx: Pick<ExecutionContext, 'waitUntil'>,
): BackOfficeEnv {
  return {
    ...env,
    PAYMENTS: {
      call: async (path, args) => sent(await answerCall(env, ctx, path, sent(args))),
    },
  };
}

/** A value as RPC carries it. Unlike a structured clone, RPC refuses objects without a prototype. */
function sent<Value>(value: Value): Value {
  expectPlain(value);
  return structuredClone(value);
}

function expectPlain(value: unknown): void {
  if (typeof value === 'object' && value !== null) {
    if (Object.getPrototypeOf(value) === null) {
      throw new TypeError('RPC cannot carry an object without a prototype');
    }
    const parts = value instanceof Map ? [...value].flat() : Object.values(value);
    for (const part of parts) {
      expectPlain(part);
    }
  }
}

export default {
  ...payments,
  async fetch(request, env, ctx) {
    return OF_BACK_OFFICE.test(new URL(request.url).pathname)
      ? backOffice.fetch(request, backOfficeEnv(env, ctx), ctx)
      : payments.fetch(request, env, ctx);
  },
  async scheduled(controller, env, ctx) {
    await payments.scheduled(controller, env);
    await backOffice.scheduled(controller, backOfficeEnv(env, ctx));
  },
} satisfies ExportedHandler<BothEnv>;
