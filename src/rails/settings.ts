import * as v from 'valibot';
import { type Bindings, ConfigError } from '../config.ts';
import type { Environment, Method } from '../domain/method.ts';
import { cbeBirrRail } from './cbe-birr/rail.ts';
import { type CbeBirrSettings, cbeBirrSettingsSchema } from './cbe-birr/settings.ts';
import { ebirrRail } from './ebirr/rail.ts';
import { ebirrSettingsSchema } from './ebirr/settings.ts';
import { ethswitchRail } from './ethswitch/rail.ts';
import { ethswitchSettings } from './ethswitch/settings.ts';
import { mpesaRail } from './mpesa/rail.ts';
import { mpesaSettingsSchema } from './mpesa/settings.ts';
import type { Rail } from './rail.ts';
import { telebirrH5Rail } from './telebirr-h5/rail.ts';
import { telebirrH5Settings } from './telebirr-h5/settings.ts';
import { telebirrUssdRail } from './telebirr-ussd/rail.ts';
import { telebirrUssdSettings } from './telebirr-ussd/settings.ts';

/** The rails that an environment has credentials for. */
export type ConfiguredRails = Readonly<Partial<Record<Method, Rail>>>;

/** How each method's rail is made out of the JSON of its secret. Throws ConfigError. */
const MAKERS: Readonly<Record<Method, (secretName: string, json: unknown) => Rail>> = {
  TELE_BIRR: (name, json) => telebirrH5Rail(checked(name, telebirrH5Settings, json)),
  TELE_BIRR_USSD: (name, json) => telebirrUssdRail(checked(name, telebirrUssdSettings, json)),
  CBE: (name, json) => cbeBirrRail(checked(name, cbeBirrSettingsSchema, json)),
  ETS_SWITCH: (name, json) => ethswitchRail(checked(name, ethswitchSettings, json)),
  M_PESA: (name, json) => mpesaRail(checked(name, mpesaSettingsSchema, json)),
  E_BIRR: (name, json) => ebirrRail(checked(name, ebirrSettingsSchema, json)),
};

/** Where each rail's system is said to be. */
const ADDRESS_FIELD: Readonly<Record<Method, string>> = {
  TELE_BIRR: 'apiBaseUrl',
  TELE_BIRR_USSD: 'relayUrl',
  CBE: 'baseUrl',
  ETS_SWITCH: 'baseUrl',
  M_PESA: 'baseUrl',
  E_BIRR: 'baseUrl',
};

const made = new WeakMap<Bindings, Readonly<Record<Environment, ConfiguredRails>>>();

/**
 * Every rail that has its secret, `RAIL_<METHOD>_<ENVIRONMENT>`, made once for each isolate. Throws
 * ConfigError, which names the secret and what is wrong with which of its fields, never a value.
 */
export function configuredRails(env: Bindings): Readonly<Record<Environment, ConfiguredRails>> {
  const known = made.get(env);
  if (known !== undefined) {
    return known;
  }
  const rails = { sandbox: railsOf(env, 'sandbox'), production: railsOf(env, 'production') };
  made.set(env, rails);
  return rails;
}

/** The name of the secret that holds a rail's credentials. */
export function railSecretName(environment: Environment, method: Method): string {
  return `RAIL_${method}_${environment.toUpperCase()}`;
}

/** What a callback to CBE's one registered address is verified with, or null. Throws ConfigError. */
export function cbeBirrSettingsOf(env: Bindings, environment: Environment): CbeBirrSettings | null {
  const name = railSecretName(environment, 'CBE');
  const json = secretJson(env, name);
  return json === undefined ? null : checked(name, cbeBirrSettingsSchema, json);
}

function railsOf(env: Bindings, environment: Environment): ConfiguredRails {
  const rails: Partial<Record<Method, Rail>> = {};
  for (const [method, make] of Object.entries(MAKERS) as [Method, (typeof MAKERS)[Method]][]) {
    const name = railSecretName(environment, method);
    const json = secretJson(env, name);
    if (json !== undefined) {
      if (environment === 'sandbox') {
        checkAddress(name, ADDRESS_FIELD[method], json);
      }
      rails[method] = make(name, json);
    }
  }
  return rails;
}

/** The defaults are the production systems: a test must never end up there by an omission. */
function checkAddress(name: string, field: string, json: unknown): void {
  if (typeof json !== 'object' || json === null || !Object.hasOwn(json, field)) {
    throw new ConfigError(`${name}: ${field}: must name the rail's test system`);
  }
}

/** Undefined where there is no such secret. */
function secretJson(env: Bindings, name: string): unknown {
  // Not among the bindings' types: none of them has to be there.
  const secret: unknown = Reflect.get(env, name);
  if (typeof secret !== 'string' || secret === '') {
    return undefined;
  }
  try {
    return JSON.parse(secret);
  } catch {
    // The parser's own message quotes what it read.
    throw new ConfigError(`${name} must be JSON`);
  }
}

function checked<Schema extends v.GenericSchema>(
  name: string,
  schema: Schema,
  json: unknown,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, json);
  if (result.success) {
    return result.output;
  }
  throw new ConfigError(`${name}: ${result.issues.map(faultText).join('; ')}`);
}

/** Which field, and what is wrong with it. */
function faultText(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue);
  return path === null ? issue.message : `${path}: ${issue.message}`;
}
