import { execFile } from 'node:child_process';
import { constants, createPrivateKey, privateDecrypt, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';
import fixture from '../../fixtures/rails/mpesa/certificate.json' with { type: 'json' };
import { settingsOf, VALID_SETTINGS } from '../../support/rails/mpesa-fixtures.ts';

/** `npm run mpesa:credential`: what M-PESA can decrypt, and what the settings accept. */

const directory = mkdtempSync(join(tmpdir(), 'kefel-credential-'));
afterAll(() => rmSync(directory, { recursive: true }));

interface Ended {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

function run(file: string | Buffer, password: string): Promise<Ended> {
  const certificate = join(directory, `${Math.random()}`);
  writeFileSync(certificate, file);
  const args = ['scripts/mpesa-credential.ts', '--certificate', certificate];
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      args,
      { cwd: PROJECT_DIRECTORY },
      (error, output, errors) => resolve({ code: Number(error?.code ?? 0), output, errors }),
    );
    child.stdin?.end(password);
  });
}

const { raw, publicKey } = new X509Certificate(fixture.certificate);

test.each([
  ['PEM', fixture.certificate],
  ['DER', raw],
  ['a public key', String(publicKey.export({ format: 'pem', type: 'spki' }))],
])('encrypts the password for the key in %s', async (_name, file) => {
  const { code, output, errors } = await run(file, 'Sup3r secret\n');
  expect([code, errors]).toEqual([0, '']);
  const key = createPrivateKey({
    key: fixture.pkcs8,
    encoding: 'base64',
    format: 'der',
    type: 'pkcs8',
  });
  const bytes = Buffer.from(output, 'base64');
  const padding = constants.RSA_PKCS1_PADDING;
  expect(privateDecrypt({ key, padding }, bytes).toString()).toBe('Sup3r secret');
  const operator = { initiator: 'operator', securityCredential: output.trim() };
  const parsed = settingsOf({ ...VALID_SETTINGS, statusQuery: operator, refunds: operator });
  expect(parsed).toMatchObject({ statusQuery: operator, refunds: operator });
});

test.each([
  [
    'a file that is no certificate',
    'no certificate',
    'secret',
    /is not a certificate in PEM or DER\.\n$/,
  ],
  ['an empty password', fixture.certificate, '\n', /^Nothing came on standard input/],
  ['a password that the key cannot take', fixture.certificate, 'x'.repeat(300), /too large/],
])('refuses %s without printing the password', async (_name, file, password, message) => {
  const { code, output, errors } = await run(file, password);
  expect([code, output]).toEqual([1, '']);
  expect(errors).toMatch(message);
  expect(errors).not.toContain(password.trim() || password.repeat(2));
});
