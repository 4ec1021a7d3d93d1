/**
 * `npm run --silent mpesa:credential -- --certificate FILE < password.txt`: the password of an
 * M-PESA API operator, encrypted with M-PESA's certificate. Never prints the password.
 */
import { constants, createPublicKey, publicEncrypt, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { ConfigError } from '../src/kit/config-error.ts';
import { runScript } from './project/options.ts';

const SCRIPT = {
  usage: 'npm run --silent mpesa:credential',
  about:
    "Reads an API operator's password from standard input and prints it encrypted: securityCredential.",
  options: {
    certificate: {
      value: 'FILE',
      about: "M-PESA's certificate, in PEM or DER; required",
      read: (file = '') => {
        if (file === '') {
          throw new Error('--certificate takes the file with M-PESA’s certificate');
        }
        return file;
      },
    },
  },
};

await runScript(SCRIPT, async ({ certificate: file }) => {
  const key = publicKeyIn(await readFile(file), file);
  // Editors end a file with a line break, which does not belong to the password.
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  if (password === '') {
    throw new ConfigError('Nothing came on standard input: the password must come there.');
  }
  const padding = constants.RSA_PKCS1_PADDING;
  console.log(publicEncrypt({ key, padding }, Buffer.from(password)).toString('base64'));
});

/** The public key of a certificate, or a bare public key. */
function publicKeyIn(bytes: Buffer, file: string) {
  try {
    const isPublicKey = bytes.includes('-----BEGIN PUBLIC KEY-----');
    const { publicKey, validTo } = isPublicKey
      ? { publicKey: createPublicKey(bytes), validTo: null }
      : new X509Certificate(bytes);
    if (publicKey.asymmetricKeyType !== 'rsa') {
      throw new ConfigError(`${file} has no RSA key.`);
    }
    if (validTo !== null && Date.parse(validTo) < Date.now()) {
      console.error(`The certificate ended on ${validTo}. M-PESA may have a newer one.`);
    }
    return publicKey;
  } catch (error) {
    throw error instanceof ConfigError
      ? error
      : new ConfigError(`${file} is not a certificate in PEM or DER.`);
  }
}
