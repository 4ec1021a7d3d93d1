import { afterAll, beforeAll, describe, test } from 'vitest';
import { joinScene, type Scene } from '../e2e-scene.ts';
import type { Driver } from './driver.ts';
import { SCENARIOS, Stage } from './scenarios.ts';

/** Declares a test for each scenario, all with the client of one language and its own merchant. */
export function playScenarios(
  language: 'typescript' | 'php' | 'python' | 'commandLine',
  start: () => Promise<Driver>,
): void {
  describe(`clients/${language}`, () => {
    let scene: Scene;
    let driver: Driver;

    beforeAll(async () => {
      [scene, driver] = await Promise.all([joinScene(language), start()]);
    });

    afterAll(() => scene?.close());

    test.each(Object.entries(SCENARIOS))('%s', (_title, play) => play(new Stage(driver, scene)));
  });
}
