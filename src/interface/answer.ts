import { configOf } from '../config.ts';
import { Problem } from '../http/problem.ts';
import { outageBehind } from '../platform/unavailable.ts';
import { AREAS } from './areas.ts';
import type { Plane } from './plane.ts';

/** A function's result. RPC drops the class of a thrown error, so expected failures are values. */
export type Answer =
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'unavailable'; readonly message: string }
  | ({ readonly type: 'problem' } & Omit<Problem, keyof Error> & Pick<Problem, 'message'>);

type InterfaceFunction = (plane: Plane, ...args: readonly unknown[]) => unknown;

/** Calls a function of the interface. Throws for an unknown one, and for a failure of ours. */
export async function answerCall(
  env: Env,
  ctx: Plane['ctx'],
  [area, name]: readonly [area: string, name: string],
  args: readonly unknown[],
): Promise<Answer> {
  const asked = await functionOf(area, name);
  try {
    const nowMs = Date.now();
    // Parsed by its first use, so that the self-check can say what is wrong with it.
    const plane: Plane = {
      env,
      ctx,
      nowMs,
      get config() {
        return configOf(env);
      },
    };
    return { type: 'value', value: await asked(plane, ...args) };
  } catch (error) {
    if (error instanceof Problem) {
      const { code, status, message, headers, validationErrors, warnings } = error;
      return { type: 'problem', code, status, message, headers, validationErrors, warnings };
    }
    const outage = outageBehind(error);
    if (outage === null) {
      throw error;
    }
    return { type: 'unavailable', message: outage.message };
  }
}

async function functionOf(area: string, name: string): Promise<InterfaceFunction> {
  const load = Object.hasOwn(AREAS, area) ? AREAS[area as keyof typeof AREAS] : null;
  const functions = (await load?.()) as Readonly<Record<string, InterfaceFunction>> | undefined;
  const asked = functions !== undefined && name in functions ? functions[name] : undefined;
  if (asked === undefined) {
    throw new Error(`the interface has no ${area}.${name}`);
  }
  return asked;
}
