/**
 * `npm run screenshots [-- --port N]`: the pictures of the README, taken of the demo merchant's
 * pages on a phone while a customer pays.
 */
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, PHONE } from './browser.ts';
import { chooseTelebirr, createDemoPayment, payToReceipt } from './demo-payment.ts';
import { PROJECT_DIRECTORY } from './files.ts';
import { withOwnGateway } from './own-gateway.ts';
import { smallPng } from './small-png.ts';
import { wholeNumber } from './whole-number.ts';

const DEFAULT_PORT = '8794';
const IMAGES_DIRECTORY = join(PROJECT_DIRECTORY, 'docs', 'images');

const EXPIRE_IN_SECONDS = 900;

/** Whoever opens the README on a phone pays for it. */
const IMAGE_BYTES_MAX = 60 * 1024;

async function main(): Promise<boolean> {
  const { values } = parseArgs({ options: { port: { type: 'string', default: DEFAULT_PORT } } });
  const port = wholeNumber('port', values.port, 1);
  await mkdir(IMAGES_DIRECTORY, { recursive: true });
  const files = await withOwnGateway(port, async (gateway) => {
    const browser = await launchBrowser();
    try {
      return await payAndShoot(browser, await createDemoPayment(gateway, EXPIRE_IN_SECONDS));
    } finally {
      await browser.close();
    }
  });
  return report(files);
}

/** Returns the files that it wrote. */
async function payAndShoot(browser: Browser, checkoutUrl: string): Promise<readonly string[]> {
  const context = await browser.newContext({
    ...PHONE,
    deviceScaleFactor: 2,
    locale: 'en-US',
    timezoneId: 'Africa/Addis_Ababa',
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto(checkoutUrl);
  await chooseTelebirr(page);
  const choosing = await shoot(page, 'checkout-choosing.png');
  await payToReceipt(page);
  return [choosing, await shoot(page, 'checkout-paid.png')];
}

async function shoot(page: Page, name: string): Promise<string> {
  const path = join(IMAGES_DIRECTORY, name);
  await page.evaluate('scrollTo(0, 0)');
  await writeFile(path, smallPng(await page.screenshot({ animations: 'disabled' })));
  return path;
}

async function report(files: readonly string[]): Promise<boolean> {
  let areAllSmall = true;
  for (const file of files) {
    const { size } = await stat(file);
    console.log(`${relative(PROJECT_DIRECTORY, file)}: ${size.toLocaleString('en')} bytes`);
    areAllSmall &&= size <= IMAGE_BYTES_MAX;
  }
  if (!areAllSmall) {
    console.error(`A picture is beyond its budget of ${IMAGE_BYTES_MAX} bytes.`);
  }
  return areAllSmall;
}

try {
  process.exit((await main()) ? 0 : 1);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
