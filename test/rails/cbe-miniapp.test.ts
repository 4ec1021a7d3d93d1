import { describe, expect, test } from 'vitest';
import { sha256 } from '../../scripts/stand-ins/cbe-birr-crypto.ts';
import { hashOf } from '../../src/engine/rails/cbe-birr/seal.ts';
import { cbeBirrSettingsSchema } from '../../src/engine/rails/cbe-birr/settings.ts';
import samples from '../fixtures/rails/cbe-miniapp/samples.json' with { type: 'json' };
import vectors from '../fixtures/rails/cbe-miniapp/vectors.json' with { type: 'json' };

/**
 * Goal: CBE's mini app, which Kefel does not support, hashes as the web gateway does: if Kefel ever
 * supports it, it can use the adapter's hash.
 */

/** The vector's values for the members that the sample leaves open. */
const TOKEN = 'tok-demo';
const HASH_KEY = 'hashkey-demo';
const TRANSACTION_TIME = '2025-01-01T00:00:00.000Z';

type Values = Readonly<Record<string, string>>;

/** The members of a request and the key, sorted by name in byte order. */
function miniAppSignature(request: Values, key: string): Promise<string> {
  const { signature: _, ...signed } = request;
  return hashOf(
    Object.fromEntries(
      Object.entries({ ...signed, key }).sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
  );
}

describe('the published vector', () => {
  const request = { ...samples.pay.json, token: TOKEN, transactionTime: TRANSACTION_TIME };

  test('hashes exactly the sample’s members and the key', () => {
    const { signature: _, ...signed } = request;
    const parsed = Object.fromEntries(new URLSearchParams(vectors.hashInput));
    expect(parsed).toEqual({ ...signed, key: HASH_KEY });
  });

  test('matches the signature of the production hash and of OpenSSL', async () => {
    expect(await miniAppSignature(request, HASH_KEY)).toBe(vectors.signature);
    expect(sha256(vectors.hashInput)).toBe(vectors.signature);
  });

  test('changes the signature with every member', async () => {
    const { signature: _, ...signed } = request;
    for (const name of Object.keys(signed)) {
      expect(await miniAppSignature({ ...request, [name]: 'changed' }, HASH_KEY)).not.toBe(
        vectors.signature,
      );
    }
    expect(await miniAppSignature(request, 'another key')).not.toBe(vectors.signature);
  });
});

describe('the samples', () => {
  test('name the web gateway’s own host', () => {
    expect(samples.host).toBe(cbeBirrSettingsSchema.pipe[0].entries.baseUrl.default);
  });

  test('require a token that only CBE’s app issues', () => {
    const authorizations = [samples.user, samples.pay].map(({ headers }) => headers.Authorization);
    expect(authorizations).toEqual(['Bearer <miniapp token>', 'Bearer <miniapp token>']);
    expect(Object.keys(samples.callback.json)).not.toContain('State');
  });
});
