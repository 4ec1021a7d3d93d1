import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser as launch } from '../../lab/pages/browser.ts';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';

export { PHONE } from '../../lab/pages/browser.ts';

/** Each page loads its scripts and axe-core anew: to optimize them takes longer than to run them. */
const BASELINE_COMPILER = '--js-flags=--no-opt,--no-maglev';

export function launchBrowser(): Promise<Browser> {
  return launch([BASELINE_COMPILER]);
}

/** Git-ignored; for people to look at. */
export const SCREENSHOTS_DIRECTORY = join(PROJECT_DIRECTORY, 'test-artefacts', 'pages');

/** With `PICTURES=1` every tested page is screenshotted, otherwise only pages with a problem. */
export const ARE_PICTURES_WANTED = process.env.PICTURES === '1';

export const DESKTOP = {
  viewport: { width: 1280, height: 800 },
} as const satisfies BrowserContextOptions;

/** Every complaint of a browser: script errors, CSP violations, error answers. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('requestfailed', (request) => {
    // A test that goes on to the next page at once interrupts the images of this one.
    const isLeft = request.failure()?.errorText === 'net::ERR_ABORTED';
    if (!(isLeft && request.resourceType() === 'image')) {
      complaints.push(`failed: ${request.url()}`);
    }
  });
  page.on('response', (response) => {
    if (response.status() >= 400) {
      complaints.push(`${response.status()}: ${response.url()}`);
    }
  });
  return complaints;
}

/** Presses the button of every question that the page asks before it sends a form. */
export function confirmQuestions(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    HTMLDialogElement.prototype.showModal = function () {
      this.show();
      // A browser ignores a form that is sent while it is being sent.
      setTimeout(() => this.querySelector<HTMLElement>('[type=submit]')?.click());
    };
  });
}
