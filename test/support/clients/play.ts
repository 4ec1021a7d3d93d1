import { afterAll, beforeAll, describe, test } from 'vitest';
import { joinScene, type Scene } from '../e2e-scene.ts';
import type { Driver } from './driver.ts';
import { NAME_SCENARIOS, SCENARIOS, Stage } from './scenarios.ts';

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

    const isTyped = language === 'typescript' || language === 'commandLine';
    const scenarios = isTyped ? SCENARIOS : { ...SCENARIOS, ...NAME_SCENARIOS };

    test.each(Object.entries(scenarios))('%s', (_title, play) => play(new Stage(driver, scene)));
  });
}
