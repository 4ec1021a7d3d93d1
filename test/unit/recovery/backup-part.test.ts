import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { recoveredSecrets } from '../../../scripts/deployment/recovered-secrets.ts';
import { createRecoveryKey, derivedKey } from '../../../scripts/deployment/recovery-key.ts';
import { keyRing } from '../../../src/engine/config.ts';
import { manifestName } from '../../../src/recovery/backup/names.ts';
import { openPart, sealPart, UnreadablePart } from '../../../src/recovery/backup/part.ts';

const OLD = `old:${Buffer.alloc(32, 1).toString('base64')}`;
const NEW = `new:${Buffer.alloc(32, 2).toString('base64')}`;
const NAME = 'payments/production/abebe/0/00000001';
const LINES = [{ uniqueId: 'order-1', text: 'ክፈል\nPay' }, { uniqueId: 'order-2' }];

const ring = (text: string) => keyRing('BACKUP_KEYS', text);

test('a part opens under its own name and key, also after a rotation', async () => {
  const sealed = await sealPart(ring(OLD), NAME, LINES);
  expect(await openPart(ring(`${NEW},${OLD}`), NAME, sealed)).toEqual(LINES);
  expect(new TextDecoder().decode(sealed)).not.toContain('order');
});

test.each<[string, string, string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>]>([
  ['another key', NEW, NAME, (bytes) => bytes],
  ['another name', OLD, NAME.replace('abebe', 'selam'), (bytes) => bytes],
  ['one changed bit', OLD, NAME, (bytes) => bytes.with(40, (bytes[40] ?? 0) ^ 1)],
  ['a missing end', OLD, NAME, (bytes) => bytes.slice(0, -1)],
  ['nothing at all', OLD, NAME, () => new Uint8Array()],
])('a part is refused with %s', async (_case, keys, name, damage) => {
  const sealed = damage(await sealPart(ring(OLD), NAME, LINES));
  await expect(openPart(ring(keys), name, sealed)).rejects.toThrow(UnreadablePart);
});

test('a part is refused that another program sealed with a key of the gateway', async () => {
  const { name, base64 } = { name: NAME, base64: OLD.slice(OLD.indexOf(':') + 1) };
  const key = await crypto.subtle.importKey(
    'raw',
    Buffer.from(base64, 'base64'),
    'AES-GCM',
    false,
    ['encrypt'],
  );
  const iv = new Uint8Array(12);
  const algorithm = { name: 'AES-GCM', iv, additionalData: Buffer.from(name) };
  const sealed = await crypto.subtle.encrypt(algorithm, key, Buffer.from('no gzip'));
  const bytes = [Buffer.from('kefel-backup-1 old\n'), iv, Buffer.from(sealed)];
  const part = new Uint8Array(Buffer.concat(bytes));
  await expect(openPart(ring(OLD), name, part)).rejects.toThrow(UnreadablePart);
});

test('decisions.md#49: the recovery key and a fetched run give the secrets back', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kefel-secrets-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const recoveryKey = createRecoveryKey();
  const run = '20261127T013700Z';
  const backupKeys = `k1:${derivedKey(recoveryKey, 'BACKUP_KEYS', 'k1')}`;
  const secrets = { RAIL_M_PESA_PRODUCTION: '{"passkey":"x"}', LINK_SIGNING_KEYS: 'k1:AAAA' };
  await mkdir(join(folder, 'runs'));
  const part = await sealPart(ring(backupKeys), manifestName(run), [{ run, secrets }]);
  await writeFile(join(folder, manifestName(run)), part);
  expect(await recoveredSecrets(folder, run, recoveryKey)).toEqual({
    ...secrets,
    BACKUP_KEYS: backupKeys,
  });
  const another = recoveredSecrets(folder, run, createRecoveryKey());
  await expect(another).rejects.toThrow(UnreadablePart);
  const missing = recoveredSecrets(folder, '20260101T013700Z', recoveryKey);
  await expect(missing).rejects.toThrow('name one of its runs');
});
