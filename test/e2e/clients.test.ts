import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Driver } from '../support/clients/driver.ts';
import { phpDriver } from '../support/clients/php.ts';
import { pythonDriver } from '../support/clients/python.ts';
import { SCENARIOS, Stage } from '../support/clients/scenarios.ts';
import { typescriptDriver } from '../support/clients/typescript.ts';
import { joinScene, type Scene } from '../support/e2e-scene.ts';

/** Goal: the clients of all languages do the same. Method: one table of scenarios for all of them. */

const CLIENTS: Readonly<Record<string, () => Promise<Driver>>> = {
  TypeScript: async () => typescriptDriver,
  PHP: phpDriver,
  Python: pythonDriver,
};

let scene: Scene;

beforeAll(async () => {
  scene = await joinScene('clients');
});

afterAll(() => scene?.close());

describe.each(Object.entries(CLIENTS))('the client in %s', (_language, start) => {
  let driver: Driver;

  beforeAll(async () => {
    driver = await start();
  });

  test.each(SCENARIOS)('$title', ({ play }) => play(new Stage(driver, scene)));
});
