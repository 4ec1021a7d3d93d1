import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sparticuz from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { memoryDirectory } from '../harness/memory-directory.ts';

/** A small, common Android phone. */
export const PHONE = {
  viewport: { width: 360, height: 740 },
  isMobile: true,
  hasTouch: true,
} as const satisfies BrowserContextOptions;

/** Playwright's argument that keeps Chromium's shared memory on disk, which slows it by a tenth. */
const ON_DISK = '--disable-dev-shm-usage';
/** Chromium crashes without enough shared memory for its processes; seven browsers may run at once. */
const SHARED_BYTES = 2_000_000_000;

/** The Chromium of `npm ci`, unpacked, or the one at CHROMIUM_PATH. */
export async function browserPath(): Promise<string> {
  return process.env.CHROMIUM_PATH ?? sparticuz.executablePath();
}

/** Launches a browser with Android's fonts. */
export async function launchBrowser(moreArguments: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: await browserPath(),
    // The package's own arguments have a single-process mode, which is meant for cloud functions.
    args: ['--no-sandbox', '--disable-gpu', ...moreArguments],
    ignoreDefaultArgs: memoryDirectory(SHARED_BYTES) === null ? [] : [ON_DISK],
    env: { ...process.env, FONTCONFIG_FILE: await fontConfiguration() },
  });
}

/**
 * Servers have no font for Ethiopic. Customers' phones have Roboto and Noto, so the browser uses
 * these.
 */
async function fontConfiguration(): Promise<string> {
  const directory = join(tmpdir(), 'kefel-fonts');
  await mkdir(directory, { recursive: true });
  const file = join(directory, `fonts-${process.pid}.conf`);
  const fonts = join(PROJECT_DIRECTORY, 'node_modules', '@expo-google-fonts');
  await writeFile(
    file,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${fonts}/roboto</dir>
  <dir>${fonts}/noto-sans-ethiopic</dir>
  <cachedir>${directory}/cache</cachedir>
  <alias>
    <family>system-ui</family>
    <prefer><family>Roboto</family><family>Noto Sans Ethiopic</family></prefer>
  </alias>
  <alias>
    <family>sans-serif</family>
    <prefer><family>Roboto</family><family>Noto Sans Ethiopic</family></prefer>
  </alias>
</fontconfig>
`,
  );
  return file;
}
