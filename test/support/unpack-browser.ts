import { browserPath } from '../../lab/pages/browser.ts';

/**
 * Global setup: unpacks the browser once, before parallel test files would unpack the same file.
 */
export default async function unpackBrowser(): Promise<void> {
  await browserPath();
}
