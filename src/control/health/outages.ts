import type { Method } from '../../engine/domain/method.ts';
import { isSeenBy, type Outage } from '../../engine/domain/method-outage.ts';
import { errorText, log } from '../../kit/platform/log.ts';
import type { Environment, Tenant } from '../../kit/tenant.ts';
import { alertsOf } from '../alerts/ask.ts';
import { methodSettings } from '../merchants/methods.ts';
import { readSwitchedOff } from '../modes/switched-off.ts';
import { type RailState, railStates } from './rails.ts';

/** Which methods do not work now, as customers are told (docs/decisions.md#66), for pages of people. */

interface MethodOutage extends Outage {
  readonly method: Method;
}

/** Those of production; none while the object of the alerts is away: a page does not fail with it. */
async function outagesIn(env: Env, environment: Environment): Promise<readonly MethodOutage[]> {
  if (environment !== 'production') {
    return [];
  }
  try {
    const told = await alertsOf(env).outages();
    return told.flatMap(({ method, outage }) => (outage === null ? [] : [{ method, ...outage }]));
  } catch (error) {
    log('warn', 'alerts_unavailable', { error: errorText(error) });
    return [];
  }
}

/** A rail, and since when customers are told that it does not work. */
export interface RailStanding extends RailState {
  /** Null: it works. */
  readonly downSinceAtMs: number | null;
  /** The merchants whose customers alone are told so; null: all are told, or none. */
  readonly downFor: readonly string[] | null;
}

export async function railStandings(env: Env): Promise<readonly RailStanding[]> {
  const outages = await outagesIn(env, 'production');
  return railStates(env).map((rail) => {
    const isProduction = rail.environment === 'production';
    const outage = isProduction ? outages.find(({ method }) => method === rail.method) : undefined;
    return {
      ...rail,
      downSinceAtMs: outage?.sinceMs ?? null,
      downFor: outage === undefined || outage.isForAll ? null : outage.merchantIds,
    };
  });
}

/** A method of a merchant that customers cannot rely on now. */
export interface NotWorking {
  readonly method: Method;
  /** `off`: the operator has switched it off. `down`: its provider is not reached. */
  readonly why: 'off' | 'down';
  readonly sinceMs: number;
  /** The operator's words for customers. */
  readonly text: string | null;
}

/** The merchant's methods that do not work now. Nearly always none, which reads no settings. */
export async function notWorkingFor(env: Env, tenant: Tenant): Promise<readonly NotWorking[]> {
  const { environment, merchantId } = tenant;
  const [outages, switches] = await Promise.all([
    outagesIn(env, environment),
    readSwitchedOff({ env }),
  ]);
  const off = switches
    .filter((one) => one.environment === environment)
    .map(({ method, text, startedAtMs: sinceMs }) => {
      return { method, why: 'off' as const, sinceMs, text };
    });
  const down = outages
    .filter((outage) => isSeenBy(outage, merchantId))
    .filter(({ method }) => off.every((one) => one.method !== method))
    .map(({ method, sinceMs }) => ({ method, why: 'down' as const, sinceMs, text: null }));
  const all: readonly NotWorking[] = [...off, ...down];
  if (all.length === 0) {
    return all;
  }
  const { methods } = await methodSettings(env.DB, tenant);
  const isOn = (wanted: Method) =>
    methods.some(({ method, offered, enabled }) => method === wanted && offered && enabled);
  return all.filter(({ method }) => isOn(method));
}
