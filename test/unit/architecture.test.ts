import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  circlesOf,
  closureOf,
  codeOf,
  SOURCE_FILES as files,
  importGraph,
  importsOf,
  roomGraph,
  roomOf,
} from '../support/import-graph.ts';

/**
 * Goal: the folders of `src` (rooms) keep to their imports. Method: the graph of all imports,
 * including type imports. An import that points outwards, or into another room's internals, fails
 * with its name.
 */

/** Small modules without knowledge of payments: any folder except `domain` may use them. */
const SHARED = ['src/config.ts', 'src/platform/', 'src/crypto/', 'src/http/', 'src/domain/'];

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'src/domain/': [],
  'src/crypto/': ['src/config.ts'],
  'src/platform/': ['src/crypto/', 'src/domain/'],
  // What a text and a time are, which the domain knows too.
  'src/http/': [
    'src/config.ts',
    'src/domain/ethiopian-time.ts',
    'src/domain/text.ts',
    'src/platform/',
  ],
  // Runs in the customer's browser, so no code of the Worker belongs here.
  'src/checkout/browser/': ['src/i18n/popup.ts'],
  // Runs in the browsers of members and operators. The preview has the color's rules of the server.
  'back-office/ui/browser/': ['src/ui/brand.ts'],
  'src/audit/': SHARED,
  'src/merchants/': [...SHARED, 'src/audit/'],
  'back-office/members/': [
    ...SHARED,
    'back-office/config.ts',
    'back-office/env.ts',
    'back-office/payments-plane.ts',
    'back-office/refused-sign-ins.ts',
    'src/audit/',
  ],
  'src/account/': SHARED,
  // Everyone may tell the object of the alerts something. What it looks at comes by a port.
  'src/alerts/': [...SHARED, 'src/webhooks/'],
  'src/restore/': [
    ...SHARED,
    'src/account/client.ts',
    'src/account/protocol.ts',
    'src/audit/log.ts',
    'src/backup/',
    'src/book/client.ts',
    'src/intent/client.ts',
    'src/intent/protocol.ts',
    'src/rails/settings.ts',
  ],
  'src/backup/': [
    ...SHARED,
    'src/account/client.ts',
    'src/account/refund-claims.ts',
    'src/intent/protocol.ts',
  ],
  'src/book/': [
    ...SHARED,
    'src/account/client.ts',
    'src/alerts/',
    'src/backup/',
    'src/intent/receipt-keys.ts',
    'src/intent/client.ts',
    'src/intent/book-message.ts',
    'src/intent/protocol.ts',
    'src/intent/receipt-conflicts.ts',
  ],
  'src/intent/': [...SHARED, 'src/account/record-refunds.ts'],
  'src/webhooks/': [...SHARED, 'src/audit/', 'src/intent/client.ts', 'src/intent/protocol.ts'],
  'src/dead-letters/': [...SHARED, 'src/alerts/'],
  'src/retention/': [...SHARED, 'src/audit/log.ts', 'src/dead-letters/'],
  'src/i18n/': SHARED,
  // Each function leads to the room that does the work.
  'src/interface/': ['src/'],
  'back-office/i18n/': [...SHARED, 'src/alerts/words/', 'src/i18n/'],
  'back-office/home/': [
    ...SHARED,
    // Only the health: the pages need no configuration.
    'back-office/config.ts',
    'back-office/env.ts',
    'back-office/i18n/',
    'back-office/ui/',
    'src/i18n/',
    'src/ui/',
  ],
  'src/ui/': [...SHARED, 'src/i18n/'],
  'back-office/ui/': [...SHARED, 'back-office/i18n/', 'src/i18n/', 'src/ui/'],
  // What members and operators both see of payments, deliveries and the audit log.
  'back-office/elements/': [
    ...SHARED,
    'back-office/i18n/',
    'back-office/ui/',
    'src/audit/read.ts',
    'src/i18n/',
    'src/intent/protocol.ts',
    'back-office/members/permissions.ts',
    'src/ui/',
    'src/webhooks/payload.ts',
  ],
  'src/rails/': SHARED,
  'src/attempts/': [
    ...SHARED,
    'src/alerts/happenings.ts',
    'src/account/client.ts',
    'src/intent/client.ts',
    'src/intent/protocol.ts',
    'src/merchants/numbers.ts',
    'src/rails/',
  ],
  'src/refunds/': [
    ...SHARED,
    'src/account/client.ts',
    'src/account/protocol.ts',
    'src/attempts/',
    'src/intent/client.ts',
    'src/intent/protocol.ts',
    'src/merchants/refund-limits.ts',
    'src/rails/',
  ],
  'src/checkout/': [
    ...SHARED,
    'src/attempts/',
    'src/i18n/',
    'src/intent/client.ts',
    'src/merchants/logo.ts',
    'src/rails/callback.ts',
    'src/rails/registry.ts',
    'src/rails/simulator/',
    'src/refunds/',
    'src/ui/',
    'src/webhooks/payload.ts',
  ],
  // The members' side reads other rooms' data, and changes it by its own statements and calls.
  'back-office/dashboard/': [
    ...SHARED,
    'src/book/',
    'back-office/audit.ts',
    'back-office/config.ts',
    'back-office/env.ts',
    'back-office/payments-plane.ts',
    'back-office/refused-sign-ins.ts',
    'src/interface/',
    'src/audit/',
    'back-office/elements/',
    'back-office/i18n/',
    'back-office/ui/',
    'src/checkout/',
    'src/i18n/',
    'src/interface/',
    'src/intent/client.ts',
    'src/intent/protocol.ts',
    'back-office/members/',
    'src/merchants/',
    'src/rails/registry.ts',
    'src/rails/settings.ts',
    'src/refunds/',
    'src/ui/',
    'src/webhooks/',
  ],
  // The operator's side asks the payments plane by its interface, and shares pure modules with it.
  'back-office/operator/': [
    ...SHARED,
    'back-office/backup.ts',
    'back-office/audit.ts',
    'back-office/config.ts',
    'back-office/elements/',
    'back-office/env.ts',
    'back-office/i18n/',
    'back-office/members/',
    'back-office/payments-plane.ts',
    'back-office/refused-sign-ins.ts',
    'back-office/ui/',
    'src/audit/',
    'src/i18n/',
    'src/interface/alerts.ts',
    'src/interface/operations.ts',
    'src/intent/protocol.ts',
    'src/operations/fields.ts',
    'src/operations/needs.ts',
    'src/operations/page-query.ts',
    'src/operations/problems.ts',
    'src/restore/rows.ts',
    'src/self-check/findings.ts',
    'src/self-check/settle.ts',
    'src/ui/texts.ts',
  ],
  'src/operations/': [
    ...SHARED,
    'src/alerts/client.ts',
    'src/alerts/config.ts',
    'src/audit/',
    'src/backup/',
    'src/book/',
    'src/dead-letters/',
    'src/intent/client.ts',
    'src/intent/protocol.ts',
    'src/intent/receipt-conflicts.ts',
    'src/intent/receipt-keys.ts',
    'src/account/client.ts',
    'src/backup/',
    'src/merchants/',
    'src/restore/',
    'src/rails/rail.ts',
    'src/rails/registry.ts',
    'src/rails/settings.ts',
    'src/refunds/',
    'src/webhooks/secret-store.ts',
  ],
  // The operator's proof that every part works: it calls one function of each.
  'src/self-check/': [
    ...SHARED,
    'src/account/client.ts',
    'src/alerts/',
    'src/attempts/',
    'src/audit/log.ts',
    'src/backup/incomplete.ts',
    'src/book/client.ts',
    'src/dead-letters/queues.ts',
    'src/intent/client.ts',
    'src/operations/rails.ts',
    'src/rails/registry.ts',
    'src/webhooks/published-keys.ts',
  ],
  // What the object of the alerts looks at: it reads every part's own state.
  'src/watch/': [
    ...SHARED,
    'src/alerts/',
    'src/backup/',
    'src/dead-letters/',
    'src/operations/health.ts',
    'src/self-check/',
  ],
  'src/api/': [
    ...SHARED,
    'src/book/',
    'src/account/client.ts',
    'src/audit/log.ts',
    'src/attempts/',
    'src/intent/client.ts',
    'src/intent/book-message.ts',
    'src/intent/protocol.ts',
    'src/merchants/',
    'src/rails/rail-order.ts',
    'src/rails/rail.ts',
    'src/rails/registry.ts',
    'src/rails/settings.ts',
    'src/refunds/',
    'src/webhooks/',
  ],
};

/** Packages that a folder may import; other folders may import none. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'src/http/': ['itty-router', 'valibot'],
  'src/api/': ['valibot'],
  'src/checkout/': ['preact', 'uqr'],
  'back-office/ui/browser/': ['@simplewebauthn/browser'],
  'back-office/elements/': ['preact'],
  'back-office/dashboard/': ['preact', 'preact/hooks', 'valibot'],
  'back-office/home/': ['preact'],
  'back-office/operator/': [
    'preact',
    'preact/hooks',
    'jose',
    'jose/errors',
    'jose/jwks/local',
    'jose/jwt/verify',
  ],
  'src/ui/': ['preact', 'preact-render-to-string'],
  'back-office/ui/': ['preact', 'preact/hooks'],
  'back-office/members/': ['@simplewebauthn/server', '@simplewebauthn/server/helpers', 'valibot'],
  'src/operations/': ['valibot'],
  'src/refunds/': ['valibot'],
  'src/rails/': ['valibot'],
  'src/book/': ['cloudflare:workers'],
  'src/account/': ['cloudflare:workers'],
  'src/intent/': ['cloudflare:workers'],
  'src/platform/': ['cloudflare:workers'],
  'src/interface/': ['cloudflare:workers', 'valibot'],
};

const GRAPH = importGraph();

describe('imports point inwards', () => {
  test.each(files)('%s', (file) => {
    const room = Object.keys(ALLOWED).find((folder) => file.startsWith(folder));
    const imported = importsOf(file);
    for (const name of imported.packages) {
      // Files directly in `src` wire everything together and need no package.
      expect(PACKAGES[room ?? ''] ?? [], `${file} imports ${name}`).toContain(name);
    }
    if (room === undefined) {
      return;
    }
    const faces = [room, ...(ALLOWED[room] ?? [])];
    for (const target of imported.files) {
      const isAllowed = faces.some((face) => target.startsWith(face));
      expect(isAllowed, `${file} imports ${target}`).toBe(true);
    }
  });

  test('every import resolves to a file', () => {
    const missing = [...GRAPH].flatMap(([file, targets]) =>
      [...targets].filter((target) => !GRAPH.has(target)).map((target) => `${file}: ${target}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('imports form no cycle', () => {
  test('between files', () => {
    expect(circlesOf(GRAPH)).toEqual([]);
  });

  test('between rooms', () => {
    expect(circlesOf(roomGraph(GRAPH))).toEqual([]);
  });

  test('finds a planted cycle, also one of type imports', () => {
    const graph = new Map([
      ['a', new Set(['b'])],
      ['b', new Set(['c', 'd'])],
      ['c', new Set(['a'])],
      ['d', new Set<string>()],
      ['e', new Set(['e'])],
    ]);
    expect(circlesOf(graph)).toEqual([['a', 'b', 'c'], ['e']]);
    expect(importsOf('src/intent/ports.ts').files).toContain('src/domain/intent.ts');
  });
});

/** A room, or one of the small modules that rooms share. */
const placeOf = (file: string) => (file.startsWith('src/platform/') ? file : roomOf(file));
const inRoom = (room: string) => files.filter((file) => roomOf(file) === room);

test('the payment object imports no adapter, page, translation or HTTP', () => {
  const reached = [...closureOf(GRAPH, inRoom('src/intent'))];
  expect(reached.filter((file) => file.endsWith('.tsx'))).toEqual([]);
  expect([...new Set(reached.map(placeOf))].sort()).toEqual([
    'src/account',
    'src/config.ts',
    'src/crypto',
    'src/domain',
    'src/intent',
    'src/platform/concurrently.ts',
    'src/platform/database.ts',
    'src/platform/log.ts',
    'src/platform/object-call.ts',
    'src/platform/objects.ts',
    'src/platform/unavailable.ts',
  ]);
});

describe('adapters are data in, data out', () => {
  const reached = [...closureOf(GRAPH, inRoom('src/rails'))];

  test('they import no page, no translation and no object', () => {
    expect(reached.filter((file) => file.endsWith('.tsx'))).toEqual([]);
    expect([...new Set(reached.map(placeOf))].sort()).toEqual([
      'src/config.ts',
      'src/crypto',
      'src/domain',
      'src/http',
      'src/platform/bounded-cache.ts',
      'src/platform/log.ts',
      'src/platform/repeated-names.ts',
      'src/rails',
    ]);
  });

  test('only the transport uses HTTP: it calls providers and reads their answers', () => {
    const withHttp = reached.filter((file) => importsOf(file).files.some(isHttp));
    expect(withHttp).toEqual(['src/rails/call-rail.ts']);
    expect(reached.filter(isHttp)).toEqual(['src/http/read-bytes.ts']);
    const callers = inRoom('src/rails').filter((file) => /\bfetch\(/.test(codeOf(file)));
    expect(callers).toEqual(['src/rails/call-rail.ts']);
  });

  test.each(inRoom('src/rails'))('%s names no type of HTTP', (file) => {
    // Providers' own messages have members of these names.
    const withoutTexts = codeOf(file).replaceAll(/'[^'\n]*'|`[^`]*`/g, '');
    expect(withoutTexts).not.toMatch(/\b(?:Request|Response|Headers|FormData)\b(?!:)/);
  });

  function isHttp(file: string): boolean {
    return roomOf(file) === 'src/http';
  }
});

test('a file fits on a few screens', () => {
  // A translator edits one file per language, of any length.
  const code = files.filter(
    (file) => !/^(?:src|back-office)\/i18n\/(?:en|am|om|ti)[./]/.test(file),
  );
  const long = code.filter((file) => readFileSync(file, 'utf8').split('\n').length > 450);
  expect(long).toEqual([]);
});

test('tests that run side by side use no assertion that must know its own test', () => {
  const tests = globSync('test/**/*.{ts,tsx}');
  const graph = new Map(tests.map((file) => [file, new Set(importsOf(file).files)]));
  const concurrent = tests.filter((file) =>
    /\b(?:describe|it|test)\.concurrent\b/.test(codeOf(file)),
  );
  // Vitest looks for the current test, of which there are several, and fails by chance.
  const needsTest = /\bexpect\s*\.(?:poll|soft|assertions|hasAssertions)\b|\.toMatch\w*Snapshot\b/;
  const reached = [...closureOf(graph, concurrent)].filter((file) => graph.has(file));
  expect(concurrent.length).toBeGreaterThan(5);
  expect(reached.filter((file) => needsTest.test(codeOf(file)))).toEqual([]);
});

describe('every message about a field carries a code (docs/errors.md#field-codes)', () => {
  const validating = files.filter((file) =>
    /^(?:src\/(?:api|http|operations)|back-office\/operator)\//.test(file),
  );

  test.each(validating)('%s', (file) => {
    expect(uncodedMessages(codeOf(file))).toEqual([]);
  });

  test('finds a planted message without a code', () => {
    const code = `v.check((text) => f(text), 'Must be so.'), v.regex(R, fieldError('empty', 'A.')),
      v.check(f, ({ input }) => \`Is \${input}\`), addIssue({ message: 'Must not.' })`;
    expect(uncodedMessages(code)).toHaveLength(3);
  });
});

/** Calls of Valibot to which a sentence is passed, and not the result of `fieldError`. */
function uncodedMessages(code: string): string[] {
  return [...code.matchAll(/\bv\.\w+\(|\baddIssue\(/g)]
    .map(({ index }) => code.slice(index, endOfCall(code, index)))
    .filter((call) => /(?:^|,|=>|message:)\s*['`][A-Z]/.test(withoutInnerCalls(call)));
}

function endOfCall(code: string, start: number): number {
  let depth = 0;
  for (let at = code.indexOf('(', start); at < code.length; at += 1) {
    depth += code[at] === '(' ? 1 : code[at] === ')' ? -1 : 0;
    if (depth === 0) {
      return at + 1;
    }
  }
  return code.length;
}

/** The call without what stands in parentheses inside it. */
function withoutInnerCalls(call: string): string {
  let text = call.slice(call.indexOf('(') + 1, -1);
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replaceAll(/\([^()]*\)/g, '');
  }
  return text;
}

test('every query of D1 has the time limit of src/platform/database.ts', () => {
  const queries = /\b(?:db|DB)\s*\.(?:prepare|batch|exec|withSession)\(/;
  const found = files.filter((file) => queries.test(codeOf(file)));
  expect(found).toEqual(['src/platform/database.ts']);
});

test('only the edges use the wire’s spelling', () => {
  const words = /\b(expireIn|apiKey|webHookEvent|testModeType|simulationStatus)\b/;
  // Adapters have their own wire formats and terms.
  const inner = files.filter((file) => /^src\/(domain|intent|book)\//.test(file));
  const found = inner.filter((file) => words.test(codeOf(file)));
  expect(found).toEqual([]);
});

test.each([
  ['{src,back-office}', /^(?:scripts|lab|test)\//],
  ['scripts', /^(?:lab|test)\//],
  ['lab', /^test\//],
])('%s import nothing of the folders that are built on them', (folder, outer) => {
  const sources = globSync(`${folder}/**/*.{ts,tsx}`);
  expect(sources.length).toBeGreaterThan(50);
  const imports = sources.flatMap((file) => importsOf(file).files.map((to) => `${file} → ${to}`));
  expect(imports.filter((line) => outer.test(line.split(' → ')[1] ?? ''))).toEqual([]);
});
