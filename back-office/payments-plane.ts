import type { Answer } from '../src/control/rpc/answer.ts';
import type { Areas } from '../src/control/rpc/areas.ts';
import type { Plane } from '../src/control/rpc/plane.ts';
import { Problem } from '../src/kit/http/problem.ts';
import { Unavailable } from '../src/kit/platform/unavailable.ts';
import type { BackOfficeEnv } from './env.ts';

type Remote<Function> = Function extends (plane: Plane, ...args: infer Arguments) => infer Result
  ? (...args: Arguments) => Promise<Awaited<Result>>
  : never;

/**
 * The payments plane as the back office sees it: `payments.lists.search(tenant, text)`. A call
 * throws `Problem` and `Unavailable` as a local function would.
 */
export type PaymentsPlane = {
  readonly [Area in keyof Areas]: {
    readonly [Name in keyof Areas[Area]]: Remote<Areas[Area][Name]>;
  };
};

/** The plane behind `env`. */
export function paymentsPlane({ PAYMENTS }: Pick<BackOfficeEnv, 'PAYMENTS'>): PaymentsPlane {
  const area = (areaName: string) =>
    new Proxy(
      {},
      {
        get:
          (_area, name) =>
          async (...args: readonly unknown[]) =>
            resultOf(await PAYMENTS.call([areaName, String(name)], args)),
      },
    );
  return new Proxy({}, { get: (_plane, name) => area(String(name)) }) as PaymentsPlane;
}

function resultOf(answer: Answer): unknown {
  switch (answer.type) {
    case 'value':
      return answer.value;
    case 'unavailable':
      throw new Unavailable(answer.message);
    case 'problem': {
      const { code, status, message, headers, validationErrors, warnings } = answer;
      const fields = validationErrors === null ? {} : { validationErrors };
      throw new Problem(code, status, message, { headers, warnings, ...fields });
    }
  }
}
