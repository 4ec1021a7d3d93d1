import * as v from 'valibot';
import { type Bindings, ConfigError } from '../config.ts';
import { type Environment, METHODS, type Method } from '../domain/method.ts';
import { cbeBirrRail } from './cbe-birr/rail.ts';
import { cbeBirrSettingsSchema } from './cbe-birr/settings.ts';
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

/** By environment and method, each as soon as somebody needs it. */
const made = new WeakMap<Bindings, Map<string, Rail | null>>();

/**
 * The rail that has its secret, `RAIL_<METHOD>_<ENVIRONMENT>`, or null; made once for each isolate.
 * Throws ConfigError, which names the secret and what is wrong with which of its fields, never a
 * value. A wrong secret is that rail's trouble alone: the others' callbacks go on being understood.
 */
export function configuredRail(
  env: Bindings,
  environment: Environment,
  method: Method,
): Rail | null {
  const rails = made.get(env) ?? new Map<string, Rail | null>();
  made.set(env, rails);
  const name = railSecretName(environment, method);
  const known = rails.get(name);
  if (known !== undefined) {
    return known;
  }
  const json = secretJson(env, name);
  const rail = json === undefined ? null : makeRail(environment, method, json);
  rails.set(name, rail);
  return rail;
}

/** Makes every rail of an environment that has a secret. Throws ConfigError for the first wrong one. */
export function checkRailSettings(env: Bindings, environment: Environment): void {
  for (const method of METHODS) {
    configuredRail(env, environment, method);
  }
}

/** The name of the secret that holds a rail's credentials. */
export function railSecretName(environment: Environment, method: Method): string {
  return `RAIL_${method}_${environment.toUpperCase()}`;
}

function makeRail(environment: Environment, method: Method, json: unknown): Rail {
  const name = railSecretName(environment, method);
  if (environment === 'sandbox') {
    checkAddress(name, ADDRESS_FIELD[method], json);
  }
  return MAKERS[method](name, json);
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

/** Which field, and what is wrong with it. Only its name: what is named below it may be a secret. */
function faultText(issue: v.BaseIssue<unknown>): string {
  const field = issue.path?.[0]?.key;
  return field === undefined ? issue.message : `${String(field)}: ${issue.message}`;
}
