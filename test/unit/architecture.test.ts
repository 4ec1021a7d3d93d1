import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * Goal: the folders mean what they say. Each may import only the folders and faces named here, so a
 * dependency that points outwards, or into another folder's insides, fails with its name.
 */

/** Small pieces with no opinion about payments: any folder but `domain` may use them. */
const SHARED = [
  'src/bounded-cache.ts',
  'src/concurrently.ts',
  'src/config.ts',
  'src/database.ts',
  'src/log.ts',
  'src/paging.ts',
  'src/unavailable.ts',
  'src/crypto/',
  'src/http/',
  'src/domain/',
];

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'src/domain/': [],
  'src/crypto/': ['src/config.ts'],
  'src/http/': ['src/log.ts', 'src/unavailable.ts'],
  // What runs in the customer's browser: no code of the Worker goes there.
  'src/checkout/browser/': [],
  // In the member's browser.
  'src/dashboard/browser/': [],
  'src/audit/': SHARED,
  'src/merchants/': SHARED,
  'src/members/': [...SHARED, 'src/audit/'],
  'src/intent/': SHARED,
  'src/webhooks/': [...SHARED, 'src/intent/client.ts', 'src/intent/protocol.ts'],
  'src/dead-letters/': SHARED,
  'src/read-model/': [...SHARED, 'src/intent/client.ts', 'src/intent/protocol.ts'],
  'src/i18n/': SHARED,
  'src/ui/': [...SHARED, 'src/i18n/'],
  'src/rails/': SHARED,
  'src/attempts/': [...SHARED, 'src/intent/client.ts', 'src/intent/protocol.ts', 'src/rails/'],
  'src/checkout/': [
    ...SHARED,
    'src/attempts/',
    'src/i18n/',
    'src/intent/client.ts',
    'src/merchants/logo.ts',
    'src/rails/callback.ts',
    'src/rails/registry.ts',
    'src/rails/simulator/rail.ts',
    'src/ui/',
    'src/webhooks/payload.ts',
  ],
  // The members' side: it reads what other rooms keep, and changes it by its own statements and calls.
  'src/dashboard/': [
    ...SHARED,
    'src/audit/',
    'src/checkout/',
    'src/i18n/',
    'src/intent/client.ts',
    'src/intent/protocol.ts',
    'src/members/',
    'src/merchants/',
    'src/rails/registry.ts',
    'src/rails/settings.ts',
    'src/read-model/',
    'src/ui/',
    'src/webhooks/',
  ],
  'src/operator/': [
    ...SHARED,
    'src/audit/',
    'src/dead-letters/',
    'src/i18n/',
    'src/intent/client.ts',
    'src/intent/protocol.ts',
    'src/members/',
    'src/merchants/',
    'src/rails/registry.ts',
    'src/rails/settings.ts',
    'src/read-model/',
    'src/ui/',
    'src/webhooks/',
  ],
  'src/api/': [
    ...SHARED,
    'src/attempts/',
    'src/intent/client.ts',
    'src/intent/protocol.ts',
    'src/merchants/',
    'src/rails/rail.ts',
    'src/rails/registry.ts',
    'src/rails/settings.ts',
    'src/read-model/queries.ts',
    'src/webhooks/payload.ts',
    'src/webhooks/sign.ts',
  ],
};

/** Packages a folder may import; what is not listed may import none. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'src/http/': ['itty-router', 'valibot'],
  'src/api/': ['valibot'],
  'src/checkout/': ['preact', 'preact-render-to-string', 'uqr'],
  'src/dashboard/browser/': ['@simplewebauthn/browser'],
  'src/dashboard/': ['preact', 'valibot'],
  'src/operator/': ['preact', 'valibot', 'jose'],
  'src/ui/': ['preact', 'preact-render-to-string'],
  'src/members/': ['@simplewebauthn/server', '@simplewebauthn/server/helpers', 'valibot'],
  'src/rails/': ['valibot', '@noble/hashes/legacy.js', '@noble/hashes/sha2.js'],
  'src/intent/': ['cloudflare:workers'],
};

const files = globSync('src/**/*.{ts,tsx}').sort();

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?<!')\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    (match) => match[1] ?? '',
  );
}

function folderOf(file: string): string | undefined {
  return Object.keys(ALLOWED).find((folder) => file.startsWith(folder));
}

describe('dependencies point inwards', () => {
  test.each(files)('%s', (file) => {
    const folder = folderOf(file);
    for (const imported of importsOf(file)) {
      if (!imported.startsWith('.')) {
        // index.ts wires everything together and needs no package itself.
        expect(PACKAGES[folder ?? ''] ?? [], `${file} imports ${imported}`).toContain(imported);
        continue;
      }
      const target = normalize(join(dirname(file), imported));
      const isOwn = folder !== undefined && target.startsWith(folder);
      const isAllowed =
        folder === undefined || ALLOWED[folder]?.some((face) => target.startsWith(face));
      expect(isOwn || isAllowed, `${file} imports ${target}`).toBe(true);
    }
  });

  test('a file fits on a few screens', () => {
    // A translator edits one file per language, however long.
    const code = files.filter((file) => !/^src\/i18n\/(en|am|om|ti)\.ts$/.test(file));
    const long = code.filter((file) => readFileSync(file, 'utf8').split('\n').length > 450);
    expect(long).toEqual([]);
  });

  test('wire spelling stays at the edges', () => {
    const words = /\b(expireIn|apiKey|webHookEvent|testModeType|simulationStatus)\b/;
    // Rails have wires, and words, of their own.
    const inner = files.filter((file) => /^src\/(domain|intent|read-model)\//.test(file));
    const told = inner.filter((file) =>
      words.test(readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')),
    );
    expect(told).toEqual([]);
  });
});
