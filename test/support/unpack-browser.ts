import { browserPath } from '../../scripts/pages/browser.ts';

/** Global setup: once, before test files that run side by side would unpack the same file. */
export default async function unpackBrowser(): Promise<void> {
  await browserPath();
}
