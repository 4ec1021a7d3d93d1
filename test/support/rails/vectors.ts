import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { pageUrlOf } from '../../../src/engine/rails/cbe-birr/page-url.ts';
import { hashOf, sealOf } from '../../../src/engine/rails/cbe-birr/seal.ts';
import { cbeBirrSettingsSchema } from '../../../src/engine/rails/cbe-birr/settings.ts';
import { tripleDes } from '../../../src/engine/rails/cbe-birr/triple-des.ts';
import { passwordText } from '../../../src/engine/rails/mpesa/push.ts';
import { mpesaSettingsSchema } from '../../../src/engine/rails/mpesa/settings.ts';
import {
  canonicalText,
  SIGNATURE_SCHEMES,
  signer,
  verifier,
} from '../../../src/engine/rails/telebirr-h5/signature.ts';
import {
  base64FromBytes,
  bytesFromBase64,
  bytesFromHex,
  hexFromBytes,
  utf8,
} from '../../../src/kit/crypto/encoding.ts';
import cbe from '../../fixtures/rails/cbe-birr/vectors.json' with { type: 'json' };
import mpesa from '../../fixtures/rails/mpesa/vectors.json' with { type: 'json' };
import mandate from '../../fixtures/rails/telebirr-h5/mandate.json' with { type: 'json' };
import telebirr from '../../fixtures/rails/telebirr-h5/vectors.json' with { type: 'json' };

/** The published bytes of the rails' cryptography, for every runtime that must produce them. */
export function vectorsHold(): void {
  describe('CBE Birr', async () => {
    const seal = await sealOf(cbe.secret);
    const settings = v.parse(cbeBirrSettingsSchema, {
      user: cbe.fields.U,
      password: cbe.fields.W,
      tillCode: cbe.fields.MC,
      secret: cbe.secret,
      paidStates: ['SUCCESS'],
    });

    test('the key of two-key triple DES is the MD5 of the secret', async () => {
      const key = await crypto.subtle.digest('MD5', utf8(cbe.secret));
      expect(hexFromBytes(key)).toBe(cbe.md5_hex);
      expect(cbe.tripleDesKey_hex).toBe(cbe.md5_hex + cbe.md5_hex.slice(0, 16));
      // As in Node and OpenSSL: only K1 and K2 matter.
      const cipher = tripleDes(bytesFromHex(cbe.tripleDesKey_hex).subarray(0, 16));
      expect(base64FromBytes(cipher.encrypt(utf8(cbe.fields.A)))).toBe(cbe.encryptedFields.A);
    });

    test.each(Object.entries({ ...cbe.fields, HV: cbe.HV }))(
      'seals and opens the field %s',
      (name, text) => {
        const sealed = cbe.encryptedFields[name as keyof typeof cbe.encryptedFields];
        expect(seal.seal(text)).toBe(sealed);
        expect(seal.open(sealed)).toBe(text);
      },
    );

    test('seals the whole order, and makes the address of its page', async () => {
      expect(seal.seal(cbe.innerJson)).toBe(cbe.r);
      expect(seal.open(cbe.r)).toBe(cbe.innerJson);
      expect(await pageUrlOf(settings, seal, cbe.fields.T, 50_000)).toBe(cbe.redirect);
    });

    test('computes the hashes of the order and of the status query', async () => {
      const { A, MC, T, U, W } = cbe.fields;
      expect(await hashOf({ A, Key: cbe.secret, MC, T, U, W })).toBe(cbe.HV);
      const query = { Key: cbe.secret, Tillcode: MC, transactionId: T };
      expect(await hashOf(query)).toBe(cbe.status.Signiture);
    });

    test.each([['another secret'], [`${cbe.secret} `]])('%j opens no field', async (secret) => {
      const other = await sealOf(secret);
      const opened = Object.values(cbe.encryptedFields).map((sealed) => other.open(sealed));
      const plain = Object.values({ ...cbe.fields, HV: cbe.HV });
      expect(opened.filter((text) => text !== null && plain.includes(text))).toEqual([]);
      expect(other.open(cbe.r)).toBeNull();
    });

    test('seals texts of other scripts, and of every length around a block', () => {
      for (const text of [
        'ሰላም 👋\n',
        ...Array.from({ length: 25 }, (_, length) => 'x'.repeat(length)),
      ]) {
        expect(seal.open(seal.seal(text))).toBe(text);
      }
    });
  });

  describe('telebirr H5', () => {
    const { merchantKey, platformKey, requests, checkout, notify } = telebirr;
    const isMerchants = verifier(merchantKey.spki_b64_der);
    const isPlatforms = verifier(platformKey.spki_b64_der);

    test.each(requests)(
      'PKCS#1 signs $request.method $request.nonce_str byte for byte',
      async (r) => {
        expect(canonicalText(r.request)).toBe(r.canonical);
        expect(await signer(merchantKey.pkcs8_b64_der, 'pkcs1')(r.canonical)).toBe(r.sign_pkcs1);
      },
    );

    test.each(
      requests.flatMap(({ request, sign_pss32, sign_pkcs1 }) => [
        { scheme: 'pss32', request, sign: sign_pss32 },
        { scheme: 'pkcs1', request, sign: sign_pkcs1 },
      ]),
    )('$scheme of $request.nonce_str is verified', async ({ request, sign }) => {
      expect(await isMerchants({ ...request, sign })).toBe(true);
      expect(await isPlatforms({ ...request, sign })).toBe(false);
      expect(await isMerchants({ ...request, timestamp: '1', sign })).toBe(false);
    });

    test.each(SIGNATURE_SCHEMES)(
      'a signature by %s verifies for its own text only',
      async (scheme) => {
        const [first] = requests;
        const message = first?.request ?? {};
        const sign = await signer(merchantKey.pkcs8_b64_der, scheme)(canonicalText(message));
        expect(bytesFromBase64(sign ?? '')).toHaveLength(256);
        expect(await isMerchants({ ...message, sign })).toBe(true);
        expect(await isMerchants({ ...message, nonce_str: 'another', sign })).toBe(false);
      },
    );

    test('uses random salts of the length in telebirr’s samples', async () => {
      const sign = signer(merchantKey.pkcs8_b64_der, 'pss32');
      const [one, other] = [await sign(checkout.canonical), await sign(checkout.canonical)];
      expect(one).not.toBe(other);
      const spki = bytesFromBase64(merchantKey.spki_b64_der);
      const algorithm = { name: 'RSA-PSS', hash: 'SHA-256' };
      const key = await crypto.subtle.importKey('spki', spki, algorithm, false, ['verify']);
      const isSalted = (saltLength: number) =>
        crypto.subtle.verify(
          { name: 'RSA-PSS', saltLength },
          key,
          bytesFromBase64(one ?? ''),
          utf8(checkout.canonical),
        );
      expect([await isSalted(32), await isSalted(20), await isSalted(222)]).toEqual([
        true,
        false,
        false,
      ]);
    });

    test('makes the address of the payment page', async () => {
      const fields = Object.fromEntries(new URL(checkout.url).searchParams);
      const { version: _version, trade_type: _type, ...signed } = fields;
      expect(canonicalText(signed)).toBe(checkout.canonical);
      expect(await isMerchants(signed)).toBe(true);
    });

    test('verifies a notification with either padding, and rejects every changed field', async () => {
      expect(canonicalText(notify.body)).toBe(notify.canonical);
      const signed = Object.keys(notify.body).filter((name) => name !== 'sign_type');
      for (const sign of [notify.body.sign, notify.sign_pkcs1]) {
        expect(await isPlatforms({ ...notify.body, sign })).toBe(true);
        expect(await isMerchants({ ...notify.body, sign })).toBe(false);
        for (const name of signed) {
          const changed = { ...notify.body, sign, [name]: 'changed' };
          expect(await isPlatforms(changed), name).toBe(false);
        }
      }
    });

    test('verifies the one signature known from a live system', async () => {
      const spki = mandate.publicKeyPem.replaceAll(/-----[A-Z ]+-----|\s/g, '');
      const fields = Object.fromEntries(new URLSearchParams(mandate.canonical));
      expect(await verifier(spki)({ ...fields, sign: mandate.sign })).toBe(true);
    });

    test.each([[''], ['AAAA'], ['no base64 €'], ['A'.repeat(344)]])(
      'the signature %j verifies nothing, without an exception',
      async (sign) => {
        expect(await isPlatforms({ ...notify.body, sign })).toBe(false);
      },
    );

    test('an invalid key signs and verifies nothing, without an exception', async () => {
      expect(await signer('AAAA', 'pss32')('text')).toBeNull();
      expect(await verifier('AAAA')(notify.body)).toBe(false);
      // The other half of the right key pair is invalid too.
      expect(await verifier(platformKey.pkcs8_b64_der)(notify.body)).toBe(false);
    });
  });

  describe('M-PESA', () => {
    const { shortcode, passkey, timestamp, password, kenya_style } = mpesa.computed;

    test.each([
      ['sha256_hex', password],
      ['kenya', kenya_style],
    ])('the password in the form %s', async (passwordForm, expected) => {
      const credentials = { consumerKey: 'key', consumerSecret: 'secret', shortcode, passkey };
      const settings = v.parse(mpesaSettingsSchema, { ...credentials, passwordForm });
      expect(await passwordText(settings, timestamp)).toBe(expected);
    });
  });
}
