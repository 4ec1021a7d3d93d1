import { configOf, placementOf } from '../config.ts';
import type { Placement } from '../domain/placement.ts';
import { Problem } from '../http/problem.ts';
import { checkJurisdiction } from '../platform/jurisdiction.ts';
import { outageBehind } from '../platform/unavailable.ts';
import { AREAS } from './areas.ts';
import type { Plane } from './plane.ts';

/** A function's result. RPC drops the class of a thrown error, so expected failures are values. */
export type Answer =
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'unavailable'; readonly message: string }
  | ({ readonly type: 'problem' } & Omit<Problem, keyof Error> & Pick<Problem, 'message'>);

type InterfaceFunction = (plane: Plane, ...args: readonly unknown[]) => unknown;

/** They say what is wrong with the configuration, so they answer in spite of it. */
const WITHOUT_CONFIG: readonly string[] = ['readSelfCheck', 'startSelfCheck'];

/**
 * Calls a function of the interface. Throws for an unknown one, and for a failure of the gateway.
 */
export async function answerCall(
  env: Env,
  ctx: Plane['ctx'],
  [area, name]: readonly [area: string, name: string],
  args: readonly unknown[],
): Promise<Answer> {
  const asked = await functionOf(area, name);
  try {
    const plane: Plane = {
      env,
      ctx,
      nowMs: Date.now(),
      get config() {
        return configOf(env);
      },
    };
    if (!WITHOUT_CONFIG.includes(name)) {
      // A malformed variable stops everything at once.
      configOf(env);
    }
    await checkPlacement(env);
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

/** Throws WrongJurisdiction. A variable that cannot be read is for the self-check to explain. */
async function checkPlacement(env: Env): Promise<void> {
  let placement: Placement;
  try {
    placement = placementOf(env);
  } catch {
    return;
  }
  await checkJurisdiction(env.DB, placement);
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
