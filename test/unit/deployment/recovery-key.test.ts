import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkRecoveryFile,
  createRecoveryFile,
  readRecoveryFile,
  requireRecoveryFile,
} from '../../../scripts/deployment/recovery-file.ts';
import {
  derivedKey,
  fingerprintOf,
  formatRecoveryKey,
  parseRecoveryKey,
} from '../../../scripts/deployment/recovery-key.ts';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';
import { strongKeyRing } from '../../../src/engine/config.ts';

/**
 * Goal: a recovery key that a person kept on paper opens everything years later, and a mistyped one is
 * refused. Method: fixed vectors, which RFC 5869 computed in Python reproduces, and random keys.
 */

const KEY = new Uint8Array(32).map((_, index) => index);
const WRITTEN = 'KEFEL-000G-40R4-0M30-E209-185G-R38E-1W81-24GK-2GAH-C5RR-34D1-P70X-3RFM-D7FD';
const KEY_ID = 'k20261127010000';

describe('a recovery key', () => {
  test('is written as one line that never changes', () => {
    expect(formatRecoveryKey(KEY)).toBe(WRITTEN);
    expect(parseRecoveryKey(WRITTEN)).toEqual(KEY);
  });

  test('reads back any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (key) => {
        expect(parseRecoveryKey(formatRecoveryKey(key))).toEqual(key);
      }),
    );
  });

  test('is read as a person types it, with comments, small letters, O for 0 and l for 1', () => {
    const typed = WRITTEN.toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l');
    expect(parseRecoveryKey(`# kept in the safe\n\n  ${typed}  \n`)).toEqual(KEY);
    expect(parseRecoveryKey(WRITTEN.replaceAll('-', ' '))).toEqual(KEY);
  });

  test('is refused when any of its symbols is mistyped', () => {
    for (const [index, symbol] of [...WRITTEN].entries()) {
      if (index >= 'KEFEL-'.length && symbol !== '-') {
        const other = symbol === '7' ? '8' : '7';
        const mistyped = WRITTEN.slice(0, index) + other + WRITTEN.slice(index + 1);
        expect(() => parseRecoveryKey(mistyped)).toThrow('wrong letter or digit');
      }
    }
  });

  test.each([
    ['', 'must have one line'],
    [`${WRITTEN}\n${WRITTEN}`, 'must have one line'],
    ['kfl_op_x', 'begins with KEFEL-'],
    [WRITTEN.slice(0, -1), 'has 56 letters and digits after KEFEL-, but this one has 55'],
    [`${WRITTEN.slice(0, -1)}U`, 'has 56 letters and digits'],
  ])('is refused as %j, without being quoted', (text, message) => {
    expect(() => parseRecoveryKey(text)).toThrow(message);
    expect(() => parseRecoveryKey(text)).not.toThrow(/[0-9A-Z]{4}-[0-9A-Z]{4}/);
  });
});

describe('derivation (docs/decisions.md#47)', () => {
  test('gives the same keys in every version of Kefel', () => {
    expect(fingerprintOf(KEY)).toBe('9a86669700936167');
    expect(derivedKey(KEY, 'LINK_SIGNING_KEYS', KEY_ID)).toBe(
      'RmaE9Ra6z0RJB2rImYK0kV03e0/7+MRhi3cROjX28WM=',
    );
  });

  test('gives each ring and key id another key', () => {
    const keys = [
      derivedKey(KEY, 'LINK_SIGNING_KEYS', KEY_ID),
      derivedKey(KEY, 'DATA_ENCRYPTION_KEYS', KEY_ID),
      derivedKey(KEY, 'LINK_SIGNING_KEYS', 'k20261127010001'),
      derivedKey(KEY.toReversed(), 'LINK_SIGNING_KEYS', KEY_ID),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('gives keys that the gateway accepts', () => {
    const ring = `${KEY_ID}:${derivedKey(KEY, 'BACKUP_KEYS', KEY_ID)}`;
    expect(strongKeyRing('BACKUP_KEYS', ring)).toHaveLength(1);
  });
});

describe('the recovery file', () => {
  const place = async () => join(await mkdtemp(join(tmpdir(), 'kefel-recovery-')), 'a/key.txt');

  test('is readable for its owner alone, and says what it is', async () => {
    const file = await place();
    const key = await createRecoveryFile(file, 'staging');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toContain(
      'Recovery key of the Kefel deployment "staging"',
    );
    expect(await readRecoveryFile(file)).toEqual(key);
  });

  test('is never replaced', async () => {
    const file = await place();
    const key = await createRecoveryFile(file, 'staging');
    await expect(createRecoveryFile(file, 'staging')).rejects.toThrow('EEXIST');
    expect(await readRecoveryFile(file)).toEqual(key);
  });

  test('is refused inside the project', () => {
    expect(() => checkRecoveryFile(join(PROJECT_DIRECTORY, 'keys.txt'))).toThrow(
      "inside the project's folder",
    );
    expect(checkRecoveryFile(`${PROJECT_DIRECTORY}-keys.txt`)).toBe(
      `${PROJECT_DIRECTORY}-keys.txt`,
    );
  });

  test('is named by its path when it is missing or damaged', async () => {
    const file = await place();
    expect(await readRecoveryFile(file)).toBeNull();
    await expect(requireRecoveryFile(file)).rejects.toThrow(`no recovery file at ${file}`);
    await createRecoveryFile(file, 'staging');
    await writeFile(file, 'KEFEL-1234');
    await expect(readRecoveryFile(file)).rejects.toThrow(`${file}: a recovery key has 56`);
  });
});
