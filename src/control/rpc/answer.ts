import * as v from 'valibot';
import { configOf, placementOf } from '../../engine/config.ts';
import { PARSING } from '../../kit/http/fields.ts';
import { Problem } from '../../kit/http/problem.ts';
import { checkJurisdiction } from '../../kit/platform/jurisdiction.ts';
import { logLimited } from '../../kit/platform/limited-log.ts';
import type { Placement } from '../../kit/platform/placement.ts';
import { outageBehind } from '../../kit/platform/unavailable.ts';
import { AREAS } from './areas.ts';
import { ARGUMENTS } from './arguments/index.ts';
import type { Plane } from './plane.ts';

/** A function's result. RPC drops the class of a thrown error, so expected failures are values. */
export type Answer =
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'unavailable'; readonly message: string }
  | ({ readonly type: 'problem' } & Omit<Problem, keyof Error | 'members'> &
      Pick<Problem, 'message'>);

type InterfaceFunction = (plane: Plane, ...args: readonly unknown[]) => unknown;

/** They say what is wrong with the gateway, so they answer in spite of a wrong configuration. */
const WITHOUT_CONFIG: readonly string[] = [
  'alerts.state',
  'operator.readSelfCheck',
  'operator.startSelfCheck',
];

/**
 * Calls a function of the interface. Throws for an unknown one, for arguments that do not fit, and for
 * a failure of the gateway. The path and the arguments may be an intruder's.
 */
export async function answerCall(
  env: Env,
  ctx: Plane['ctx'],
  path: readonly [area: string, name: string],
  args: readonly unknown[],
): Promise<Answer> {
  const [area, name] = knownPath(path);
  const given = fittingArguments(area, name, args);
  const functions = (await AREAS[area]()) as Readonly<Record<string, InterfaceFunction>>;
  const asked = functions[name] ?? refuse('no_function');
  try {
    const plane: Plane = {
      env,
      ctx,
      nowMs: Date.now(),
      get config() {
        return configOf(env);
      },
    };
    if (!WITHOUT_CONFIG.includes(`${area}.${name}`)) {
      // A malformed variable stops everything at once.
      configOf(env);
    }
    await checkPlacement(env);
    return { type: 'value', value: await asked(plane, ...given) };
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

/** The names of a function that has schemas, so that no member of a prototype counts as one. */
function knownPath(path: unknown): readonly [area: keyof typeof AREAS, name: string] {
  const [area, name] = Array.isArray(path) ? path : [];
  const isKnown =
    typeof area === 'string' &&
    typeof name === 'string' &&
    Object.hasOwn(ARGUMENTS, area) &&
    Object.hasOwn(ARGUMENTS[area as keyof typeof ARGUMENTS], name);
  return isKnown ? [area as keyof typeof AREAS, name] : refuse('no_function');
}

/** The arguments, without anything that the schemas do not name. */
function fittingArguments(
  area: keyof typeof AREAS,
  name: string,
  args: unknown,
): readonly unknown[] {
  const schemas = (ARGUMENTS[area] as Readonly<Record<string, readonly v.GenericSchema[]>>)[name];
  const result = v.safeParse(v.strictTuple([...(schemas ?? [])]), args, PARSING);
  return result.success ? result.output : refuse('bad_arguments', { area, name });
}

const REFUSALS = {
  no_function: 'the interface has no such function',
  bad_arguments: 'the arguments do not fit the function of the interface',
} as const;

/**
 * Pages check what people type, so this is a bug or an intruder. The line has only names of ours: an
 * argument may be a phone number.
 */
function refuse(
  reason: keyof typeof REFUSALS,
  names: { readonly area?: string; readonly name?: string } = {},
): never {
  logLimited('interface_call_refused', { reason, ...names });
  throw new Error(REFUSALS[reason]);
}
