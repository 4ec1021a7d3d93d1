import { expect, test } from 'vitest';
import { openPart, sealPart, UnreadablePart } from '../../src/backup/part.ts';
import { keyRing } from '../../src/config.ts';

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
