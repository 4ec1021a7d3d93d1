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
  'src/config.ts',
  'src/database.ts',
  'src/log.ts',
  'src/crypto/',
  'src/http/',
  'src/domain/',
];

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'src/domain/': [],
  'src/crypto/': ['src/config.ts'],
  'src/http/': [],
  // What runs in the customer's browser: nothing of the Worker's goes there.
  'src/browser/': [],
  // In the member's browser.
  'src/dashboard/browser/': [],
  'src/audit/': SHARED,
  'src/merchants/': SHARED,
  // The object writes events in their wire form, signs them, and asks rails what they know.
  'src/intent/': [
    ...SHARED,
    'src/webhooks/payload.ts',
    'src/webhooks/signature.ts',
    'src/rails/registry.ts',
    'src/rails/run-attempt.ts',
  ],
  'src/webhooks/': [...SHARED, 'src/intent/client.ts', 'src/intent/protocol.ts'],
  'src/dead-letters/': SHARED,
  'src/ledger/': [...SHARED, 'src/intent/client.ts', 'src/intent/protocol.ts'],
  // What all customers' pages share.
  'src/pages/': [...SHARED, 'src/intent/client.ts', 'src/webhooks/payload.ts'],
  'src/rails/': [...SHARED, 'src/intent/client.ts', 'src/intent/protocol.ts', 'src/pages/'],
  'src/checkout/': [
    ...SHARED,
    'src/intent/client.ts',
    'src/merchants/logo.ts',
    'src/pages/',
    'src/rails/registry.ts',
    'src/rails/run-attempt.ts',
    'src/rails/callback.ts',
    'src/rails/simulator/route.ts',
  ],
  // The people's side: it reads what others keep, and changes it by their own statements and calls.
  'src/dashboard/': [
    ...SHARED,
    'src/api/schema/callback-url.ts',
    'src/audit/',
    'src/intent/client.ts',
    'src/intent/protocol.ts',
    'src/ledger/',
    'src/merchants/',
    'src/pages/',
    'src/rails/registry.ts',
    'src/rails/settings.ts',
    'src/webhooks/',
  ],
  'src/operator/': [
    ...SHARED,
    'src/audit/',
    'src/dead-letters/',
    // What the desk and the dashboard look like, and how people get into the latter.
    'src/dashboard/elements.tsx',
    'src/dashboard/frame.tsx',
    'src/dashboard/people/invitations.ts',
    'src/dashboard/permissions.ts',
    'src/dashboard/response.tsx',
    'src/dashboard/words.ts',
    'src/intent/client.ts',
    'src/intent/protocol.ts',
    'src/ledger/',
    'src/merchants/',
    'src/pages/',
    'src/rails/registry.ts',
    'src/rails/settings.ts',
    'src/webhooks/',
  ],
  'src/api/': [
    ...SHARED,
    'src/intent/client.ts',
    'src/intent/protocol.ts',
    'src/merchants/',
    'src/ledger/queries.ts',
    'src/rails/rail.ts',
    'src/rails/registry.ts',
    'src/rails/run-attempt.ts',
    'src/rails/settings.ts',
    'src/webhooks/payload.ts',
    'src/webhooks/signature.ts',
  ],
};

/** Packages a folder may import; what is not listed may import none. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'src/api/': ['itty-router', 'valibot'],
  'src/checkout/': ['itty-router', 'preact', 'uqr'],
  'src/dashboard/browser/': ['@simplewebauthn/browser'],
  'src/dashboard/': [
    'itty-router',
    'preact',
    'preact-render-to-string',
    '@simplewebauthn/server',
    '@simplewebauthn/server/helpers',
    'valibot',
  ],
  'src/operator/': ['itty-router', 'preact', 'valibot', 'jose'],
  'src/pages/': ['preact', 'preact-render-to-string'],
  'src/rails/': ['preact', 'valibot', '@noble/hashes/legacy.js', '@noble/hashes/sha2.js'],
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
    const long = files.filter((file) => readFileSync(file, 'utf8').split('\n').length > 450);
    expect(long).toEqual([]);
  });

  test('wire spelling stays at the edges', () => {
    const words = /\b(expireIn|apiKey|webHookEvent|testModeType|simulationStatus)\b/;
    // Rails have wires, and words, of their own.
    const inner = files.filter((file) => /^src\/(domain|intent|ledger)\//.test(file));
    const told = inner.filter((file) =>
      words.test(readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')),
    );
    expect(told).toEqual([]);
  });
});
