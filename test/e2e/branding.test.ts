import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { type Logo, logoFrom } from '../../src/merchants/branding.ts';
import { type SeededMerchant, seedMerchant } from '../support/e2e-merchant.ts';
import {
  createHosted,
  hostedBody,
  MerchantApi,
  type Scene,
  startScene,
} from '../support/e2e-scene.ts';
import { PIXELS } from '../support/logos.ts';

/**
 * Goal: a merchant's logo in the database is what the customer's page shows, and never another's.
 * Method: two merchants with logos of their own, and the demo merchant.
 */

const DEMO_LOGO = join(PROJECT_DIRECTORY, 'scripts', 'dev', 'demo-logo.png');

let scene: Scene;
let one: SeededMerchant;
let two: SeededMerchant;

async function logoOf(bytes: Uint8Array<ArrayBuffer>): Promise<Logo> {
  const result = await logoFrom(bytes);
  if (result.type === 'refused') {
    throw new Error(result.reason);
  }
  return result.logo;
}

beforeAll(async () => {
  scene = await startScene({
    prepare: async (stateDirectory) => {
      const logo = await logoOf(PIXELS['image/png']);
      const branding = { colour: '#0b6b4b', logo };
      one = await seedMerchant(stateDirectory, { name: 'One', branding });
      const other = { logo: await logoOf(PIXELS['image/webp']) };
      two = await seedMerchant(stateDirectory, { name: 'Two', branding: other });
    },
  });
});

afterAll(() => scene?.close());

function logoUrl(checkoutUrl: string, bytes: Uint8Array): string {
  return `${checkoutUrl}/logo/${createHash('sha256').update(bytes).digest('hex')}`;
}

async function expectLogo(checkoutUrl: string, bytes: Uint8Array, type: string): Promise<void> {
  const response = await fetch(logoUrl(checkoutUrl, bytes));
  expect({ status: response.status, type: response.headers.get('content-type') }).toEqual({
    status: 200,
    type,
  });
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array(bytes));
}

async function checkoutOf(merchant: SeededMerchant): Promise<string> {
  const api = new MerchantApi(scene.gateway.baseUrl, merchant.sandboxApiKey, 'sandbox');
  return (await api.hosted(hostedBody())).body.content;
}

it("a merchant's logo is on the page", async () => {
  await expectLogo(await checkoutOf(one), PIXELS['image/png'], 'image/png');
});

it("another merchant's is on theirs, and nobody else's", async () => {
  const checkoutUrl = await checkoutOf(two);
  await expectLogo(checkoutUrl, PIXELS['image/webp'], 'image/webp');
  expect((await fetch(logoUrl(checkoutUrl, PIXELS['image/png']))).status).toBe(404);
});

it('the demo merchant has a logo', async () => {
  const { checkoutUrl } = await createHosted(scene);
  await expectLogo(checkoutUrl, await readFile(DEMO_LOGO), 'image/png');
});
