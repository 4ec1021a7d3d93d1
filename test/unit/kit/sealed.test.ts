import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/kit/config-error.ts';
import type { NamedKey } from '../../../src/kit/crypto/key-ring.ts';
import { seal, unseal } from '../../../src/kit/crypto/sealed.ts';

const key = (keyId: string, fill: number, bytes = 32): NamedKey => ({
  keyId,
  base64: Buffer.alloc(bytes, fill).toString('base64'),
});
const newer = key('k2', 2);
const older = key('k1', 1);
const context = 'webhook_secret/sandbox/m1';

describe('secrets at rest (promises.md#10, decisions.md#17: secrets per merchant and environment)', () => {
  test('open again, for every text', async () => {
    for (const plaintext of ['whsec_abc', '', 'ምስጢር', 'x'.repeat(10_000)]) {
      expect(await unseal([newer], await seal([newer], plaintext, context), context)).toBe(
        plaintext,
      );
    }
  });

  test('name their key, hide their text and never look the same twice', async () => {
    const first = await seal([newer, older], 'whsec_abc', context);
    const second = await seal([newer, older], 'whsec_abc', context);
    expect(first).toMatch(/^k2\.[A-Za-z0-9_-]+$/);
    expect(first).not.toBe(second);
    expect(first).not.toContain('whsec');
    // 12 bytes of IV, 9 of text, 16 of tag.
    expect(Buffer.from(first.slice(3), 'base64url').length).toBe(37);
  });

  test('survive a rotation of the data key as long as the old one is kept (decisions.md#32)', async () => {
    const sealed = await seal([older], 'whsec_abc', context);
    expect(await unseal([newer, older], sealed, context)).toBe('whsec_abc');
    expect(await unseal([newer], sealed, context)).toBeNull();
  });

  test('do not open for another merchant or environment (promises.md#8)', async () => {
    const sealed = await seal([newer], 'whsec_abc', context);
    expect(await unseal([newer], sealed, 'webhook_secret/sandbox/m2')).toBeNull();
    expect(await unseal([newer], sealed, 'webhook_secret/production/m1')).toBeNull();
    expect(await unseal([key('k2', 9)], sealed, context)).toBeNull();
  });

  test('do not open when any byte was changed or lost', async () => {
    const sealed = await seal([newer], 'whsec_abc', context);
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(await unseal([newer], `k2.${changed.toString('base64url')}`, context)).toBeNull();
      const cut = bytes.subarray(0, index).toString('base64url');
      expect(await unseal([newer], `k2.${cut}`, context)).toBeNull();
    }
  });

  test.each(['', '.', 'k2', 'k2.', '.AAAA', 'k2.!!', 'k9.AAAA', 'k2.AAAA=', 'k2.A'])(
    'reject text that was not sealed: %j',
    async (text) => {
      expect(await unseal([newer], text, context)).toBeNull();
    },
  );

  test('require a key of 256 bits', async () => {
    await expect(seal([key('k3', 3, 16)], 'x', context)).rejects.toThrow(ConfigError);
  });
});
