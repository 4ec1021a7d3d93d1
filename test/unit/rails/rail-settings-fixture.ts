import type { Bindings } from '../../../src/engine/config.ts';
import { METHODS } from '../../../src/engine/domain/method.ts';
import { railSecretName } from '../../../src/engine/rails/settings.ts';
import type { Environment } from '../../../src/kit/tenant.ts';
import { factOfAll, SECRET_TEXT, type Settings } from '../../support/method-facts.ts';

/** An `env` made of secrets, for all six methods. */

export { SECRET_TEXT, type Settings };

/** The required fields of each rail, with its test system's address. */
export const COMPLETE = factOfAll('settings');

export const RAIL_IDS = factOfAll('railId');

export const NBG: Settings = {
  gateway: 'nbg',
  baseUrl: 'https://nbg.rail.test',
  username: 'KefelNbg',
  password: `${SECRET_TEXT}Password`,
  billerBin: 'NEEUETAA',
  callbackAddresses: ['192.0.2.7'],
};

/** The bindings of a Worker with these secrets, as text or as values for JSON. */
export function envOf(secrets: Readonly<Record<string, unknown>>): Bindings {
  const texts = Object.entries(secrets).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return Object.fromEntries(texts) as Bindings;
}

export function envWithAll(...environments: readonly Environment[]): Bindings {
  return envOf(
    Object.fromEntries(
      environments.flatMap((environment) =>
        METHODS.map((method) => [railSecretName(environment, method), COMPLETE[method]]),
      ),
    ),
  );
}
