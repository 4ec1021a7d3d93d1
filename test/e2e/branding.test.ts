import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PROJECT_DIRECTORY } from '../../scripts/files.ts';
import { type CreatedMerchant, createMerchantByScript, runScript } from '../support/e2e-gateway.ts';
import {
  createHosted,
  hostedBody,
  MerchantApi,
  type Scene,
  startScene,
} from '../support/e2e-scene.ts';
import { PIXELS } from '../support/logos.ts';

/**
 * Goal: the operator's scripts put a logo where the customer's page finds it, and refuse in words
 * what is none. Method: one merchant branded at its creation, one afterwards, and the demo merchant.
 */

const DEMO_LOGO = join(PROJECT_DIRECTORY, 'scripts', 'demo-logo.png');

let scene: Scene;
let pictures: string;
let brandedAtCreation: CreatedMerchant;
let brandedLater: CreatedMerchant;

beforeAll(async () => {
  pictures = await mkdtemp(join(tmpdir(), 'kefel-logos-'));
  await writeFile(join(pictures, 'logo.png'), PIXELS['image/png']);
  // What a file is called says nothing.
  await writeFile(join(pictures, 'webp.png'), PIXELS['image/webp']);
  await writeFile(join(pictures, 'logo.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  scene = await startScene({
    prepare: async (stateDirectory) => {
      const logo = join(pictures, 'logo.png');
      const create = (name: string, ...options: string[]) =>
        createMerchantByScript(stateDirectory, ['--name', name, ...options]);
      brandedAtCreation = await create('One', '--colour', '#0B6B4B', '--logo', logo);
      brandedLater = await create('Two', '--id', 'two');
      const changes = ['--merchant', 'two', '--logo', join(pictures, 'webp.png')];
      const { exitCode, logs } = await runScript('merchant:brand', stateDirectory, changes);
      expect(logs).toContain('Merchant two: logo image/webp of 38 bytes.');
      expect(exitCode).toBe(0);
    },
  });
});

afterAll(async () => {
  await scene?.close();
  await rm(pictures, { recursive: true });
});

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

async function checkoutOf(merchant: CreatedMerchant): Promise<string> {
  const api = new MerchantApi(scene.gateway.baseUrl, merchant.sandboxApiKey, 'sandbox');
  return (await api.hosted(hostedBody())).body.content;
}

it('a logo given to merchant:create is on the page', async () => {
  await expectLogo(await checkoutOf(brandedAtCreation), PIXELS['image/png'], 'image/png');
});

it("a logo given to merchant:brand is on the page, and nobody else's", async () => {
  const checkoutUrl = await checkoutOf(brandedLater);
  await expectLogo(checkoutUrl, PIXELS['image/webp'], 'image/webp');
  expect((await fetch(logoUrl(checkoutUrl, PIXELS['image/png']))).status).toBe(404);
});

it('the demo merchant has a logo', async () => {
  const { checkoutUrl } = await createHosted(scene);
  await expectLogo(checkoutUrl, await readFile(DEMO_LOGO), 'image/png');
});

it.each<[string, 'merchant:create' | 'merchant:brand', readonly string[], string]>([
  ['an SVG', 'merchant:create', ['--name', 'Three', '--logo', 'logo.svg'], 'no PNG, WebP or JPEG'],
  ['a colour by name', 'merchant:create', ['--name', 'Three', '--colour', 'red'], '--colour takes'],
  ['no merchant', 'merchant:brand', ['--colour', 'none'], '--merchant is required'],
  ['no change', 'merchant:brand', ['--merchant', 'two'], 'nothing to change'],
  [
    'an unknown merchant',
    'merchant:brand',
    ['--merchant', 'three', '--colour', 'none'],
    'there is no merchant three',
  ],
])('%s is refused in words by %s', async (_name, script, args, message) => {
  const state = await mkdtemp(join(tmpdir(), 'kefel-brand-'));
  try {
    const files = args.map((arg) => (arg === 'logo.svg' ? join(pictures, arg) : arg));
    const { exitCode, logs } = await runScript(script, state, files);
    expect(exitCode).toBe(1);
    expect(logs).toContain(message);
    expect(logs).not.toMatch(/kfl_test_|\n\s+at /);
  } finally {
    await rm(state, { recursive: true });
  }
});
