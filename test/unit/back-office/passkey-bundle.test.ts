import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Faults, SoftwareAuthenticator } from '../../../lab/harness/software-authenticator.ts';
import { wranglerAliases } from '../../../scripts/project/wrangler-aliases.ts';
import { base64UrlFromBytes } from '../../../src/kit/crypto/encoding.ts';

/**
 * Goal: the passkey library works without the packages that wrangler.toml leaves out of the bundle.
 * Other tests run the whole library, so a new version could otherwise fail only in a deployment.
 */

type Verification = typeof import('../../../back-office/members/verification.ts');

const PARTY = { id: 'pay.example.com', origin: 'https://pay.example.com' };
/** The length varies in DER, because a signature's two numbers are sometimes shorter. */
const SIGNATURES = 50;

let directory: string;
let verification: Verification;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kefel-passkeys-'));
  const outfile = join(directory, 'verification.mjs');
  await build({
    entryPoints: ['back-office/members/verification.ts'],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    plugins: [await wranglerAliases()],
  });
  verification = await import(/* @vite-ignore */ outfile);
});

afterAll(() => rm(directory, { recursive: true }));

async function register(authenticator: SoftwareAuthenticator, faults: Faults = {}) {
  const challenge = {
    challenge: challengeText(),
    issuedFor: '',
    memberId: 'mem_1',
    expiresAtMs: 0,
  };
  const options = { ...challenge, rp: { id: PARTY.id }, user: { id: 'bWVtXzE' } };
  const { response, ...identity } = await authenticator.register(options, faults);
  const registration = { ...identity, response: { ...response, transports: [] } };
  return verification.verifiedRegistration(PARTY, challenge, registration);
}

test('registers a passkey and verifies its signatures', async () => {
  const authenticator = await SoftwareAuthenticator.create(PARTY.origin);
  const passkey = await register(authenticator);
  expect(passkey?.credentialId).toBe(authenticator.credentialId);
  const verify = async (isForged: boolean) => {
    const challenge = { challenge: challengeText(), issuedFor: '', memberId: '', expiresAtMs: 0 };
    const assertion = await authenticator.sign({ ...challenge, rpId: PARTY.id }, { isForged });
    return passkey && verification.verifiedAssertion(PARTY, challenge, assertion, passkey);
  };
  for (let signature = 0; signature < SIGNATURES; signature += 1) {
    expect(await verify(false)).toEqual({ counter: 0, isBackedUp: true });
  }
  expect(await verify(true)).toBeNull();
});

test('rejects a registration with a certificate', async () => {
  const authenticator = await SoftwareAuthenticator.create(PARTY.origin);
  expect(await register(authenticator, { attestation: 'certificate' })).toBeNull();
});

function challengeText(): string {
  return base64UrlFromBytes(crypto.getRandomValues(new Uint8Array(32)));
}
