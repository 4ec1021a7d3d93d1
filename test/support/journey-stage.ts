import type { Browser } from 'playwright-core';
import { afterAll } from 'vitest';
import { launchBrowser } from './browser.ts';
import { joinScene, type Scene } from './e2e-scene.ts';

/** The shared gateway and a browser for a whole file, which waits for them at its top. */
export async function useJourney(): Promise<{ readonly scene: Scene; readonly browser: Browser }> {
  const [scene, browser] = await Promise.all([joinScene(), launchBrowser()]);
  afterAll(async () => {
    await browser.close();
    await scene.close();
  });
  return { scene, browser };
}
