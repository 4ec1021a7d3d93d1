import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { bareBase64, rsaKeyPair } from '../../scripts/stand-ins/telebirr-h5-wire.ts';
import { telebirrH5Settings } from '../../src/rails/telebirr-h5/settings.ts';

/** Goal: a wrong setting is reported before the first payment, and no message shows a secret. */

describe('settings', () => {
  const keys = rsaKeyPair();
  const theirs = rsaKeyPair();
  const good = {
    webPageUrl: 'https://telebirr.example/payment/web/paygate?',
    fabricAppId: 'c4182ef8-9249-458a-985e-06d191f4d505',
    appSecret: 'fad0f06383c6297f545876694b974599',
    merchantAppId: '1072905731584000',
    merchantCode: '200001',
    merchantPrivateKey: bareBase64(keys.privateKey),
    telebirrPublicKey: bareBase64(theirs.publicKey),
  };

  test('have these defaults', () => {
    expect(v.parse(telebirrH5Settings, good)).toEqual({
      ...good,
      apiBaseUrl: 'https://superapp.ethiomobilemoney.et:38443/apiaccess/payment/gateway',
      webPageUrl: 'https://telebirr.example/payment/web/paygate',
      signatureScheme: 'pss32',
      payeeType: '5000',
      callTimeoutMs: 15_000,
      refundRepeats: false,
    });
  });

  test('accept PEM keys, with escaped line breaks or not', () => {
    const pem = String(keys.privateKey.export({ format: 'pem', type: 'pkcs8' }));
    const publicPem = String(theirs.publicKey.export({ format: 'pem', type: 'spki' }));
    for (const merchantPrivateKey of [pem, pem.replaceAll('\n', '\\n')]) {
      const parsed = v.parse(telebirrH5Settings, {
        ...good,
        merchantPrivateKey,
        telebirrPublicKey: publicPem,
      });
      expect(parsed).toMatchObject({
        merchantPrivateKey: good.merchantPrivateKey,
        telebirrPublicKey: good.telebirrPublicKey,
      });
    }
  });

  const pkcs1 = String(keys.privateKey.export({ format: 'pem', type: 'pkcs1' }));
  test.each([
    ['apiBaseUrl', 'ftp://telebirr.example'],
    ['apiBaseUrl', 'https://user:secret@telebirr.example'],
    ['webPageUrl', 'https://telebirr.example/paygate?appid=1'],
    ['webPageUrl', undefined],
    ['fabricAppId', good.merchantAppId],
    ['appSecret', 'two words'],
    ['appSecret', 17],
    ['merchantAppId', good.fabricAppId],
    ['merchantCode', '0200001'],
    ['merchantPrivateKey', pkcs1],
    ['merchantPrivateKey', good.telebirrPublicKey],
    ['merchantPrivateKey', good.merchantPrivateKey.slice(0, -4)],
    ['merchantPrivateKey', 'no base64!'],
    ['telebirrPublicKey', good.merchantPrivateKey],
    ['telebirrPublicKey', null],
    ['telebirrPublicKey', bareBase64(keys.publicKey)],
    ['signatureScheme', 'pss64'],
    ['payeeType', '4000'],
    ['callTimeoutMs', 50],
    ['callTimeoutMs', '1000'],
    ['appKey', 'unknown-setting'],
  ])('name a wrong %s but never its value: %j', (name, value) => {
    const result = v.safeParse(telebirrH5Settings, { ...good, [name]: value });
    expect(result.success).toBe(false);
    expect(result.issues).toHaveLength(1);
    const [issue] = result.issues ?? [];
    expect(v.getDotPath(issue ?? ({} as v.BaseIssue<unknown>))).toBe(name);
    expect(issue?.message).toMatch(/^(must be|is) /i);
    expect(issue?.message).not.toContain(String(value));
  });

  test.each([['text'], [null], [[]]])('reject %j', (value) => {
    const result = v.safeParse(telebirrH5Settings, value);
    expect(result.issues?.[0]?.message).toMatch(/^(must be a JSON object|is missing)$/);
  });
});
