import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';

export { launchBrowser, PHONE } from '../../scripts/pages/browser.ts';

/** Git-ignored. For people to look at. */
export const SCREENSHOTS_DIRECTORY = join(PROJECT_DIRECTORY, 'test-artefacts', 'pages');

/** `PICTURES=1` takes a picture of every page that tests look at; else only faulty ones are taken. */
export const ARE_PICTURES_WANTED = process.env.PICTURES === '1';

export const DESKTOP = {
  viewport: { width: 1280, height: 800 },
} as const satisfies BrowserContextOptions;

/** Everything that a browser complains about: scripts, the CSP, answers that are errors. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
  page.on('response', (response) => {
    if (response.status() >= 400) {
      complaints.push(`${response.status()}: ${response.url()}`);
    }
  });
  return complaints;
}
