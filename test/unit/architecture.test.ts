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
const SHARED = [
  'src/engine/config.ts',
  'src/kit/platform/',
  'src/kit/crypto/',
  'src/kit/http/',
  'src/engine/domain/',
];

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'src/engine/domain/': [],
  'src/kit/crypto/': ['src/engine/config.ts'],
  'src/kit/platform/': ['src/kit/crypto/', 'src/engine/domain/'],
  // What a text and a time are, which the domain knows too.
  'src/kit/http/': [
    'src/engine/config.ts',
    'src/kit/ethiopian-time.ts',
    'src/kit/text.ts',
    'src/kit/platform/',
  ],
  // Runs in the customer's browser, so no code of the Worker belongs here.
  'src/engine/checkout/browser/': ['src/engine/i18n/popup.ts'],
  // Runs in the browsers of members and operators. The preview has the color's rules of the server.
  'back-office/ui/browser/': ['src/kit/ui/brand.ts'],
  'src/control/audit/': SHARED,
  'src/control/merchants/': [...SHARED, 'src/control/audit/'],
  'back-office/members/': [
    ...SHARED,
    'back-office/config.ts',
    'back-office/env.ts',
    'back-office/payments-plane.ts',
    'back-office/refused-sign-ins.ts',
    'src/control/audit/',
  ],
  'src/engine/account/': SHARED,
  // Everyone may tell the object of the alerts something. What it looks at comes by a port.
  'src/control/alerts/': [...SHARED, 'src/engine/webhooks/'],
  'src/recovery/restore/': [
    ...SHARED,
    'src/engine/account/client.ts',
    'src/engine/account/protocol.ts',
    'src/kit/audit/log.ts',
    'src/recovery/backup/',
    'src/lists/book/client.ts',
    'src/engine/intent/client.ts',
    'src/engine/intent/protocol.ts',
    'src/engine/rails/settings.ts',
  ],
  'src/recovery/backup/': [
    ...SHARED,
    'src/engine/account/client.ts',
    'src/engine/account/refund-claims.ts',
    'src/engine/intent/protocol.ts',
  ],
  'src/lists/book/': [
    ...SHARED,
    'src/engine/account/client.ts',
    'src/control/alerts/',
    'src/recovery/backup/',
    'src/engine/intent/receipt-keys.ts',
    'src/engine/intent/client.ts',
    'src/engine/intent/book-message.ts',
    'src/engine/intent/protocol.ts',
    'src/engine/intent/receipt-conflicts.ts',
  ],
  'src/engine/intent/': [...SHARED, 'src/engine/account/record-refunds.ts'],
  'src/engine/webhooks/': [
    ...SHARED,
    'src/control/audit/',
    'src/engine/intent/client.ts',
    'src/engine/intent/protocol.ts',
  ],
  'src/control/dead-letters/': [...SHARED, 'src/control/alerts/'],
  'src/control/retention/': [...SHARED, 'src/kit/audit/log.ts', 'src/control/dead-letters/'],
  'src/engine/i18n/': SHARED,
  // Each function leads to the room that does the work.
  'src/control/rpc/': ['src/'],
  'back-office/i18n/': [...SHARED, 'src/control/alerts/words/', 'src/engine/i18n/'],
  'back-office/home/': [
    ...SHARED,
    // Only the health: the pages need no configuration.
    'back-office/config.ts',
    'back-office/env.ts',
    'back-office/i18n/',
    'back-office/ui/',
    'src/engine/i18n/',
    'src/kit/ui/',
  ],
  'src/kit/ui/': [...SHARED, 'src/engine/i18n/'],
  'back-office/ui/': [...SHARED, 'back-office/i18n/', 'src/engine/i18n/', 'src/kit/ui/'],
  // What members and operators both see of payments, deliveries and the audit log.
  'back-office/elements/': [
    ...SHARED,
    'back-office/i18n/',
    'back-office/ui/',
    'src/control/audit/read.ts',
    'src/engine/i18n/',
    'src/engine/intent/protocol.ts',
    'back-office/members/permissions.ts',
    'src/kit/ui/',
    'src/engine/webhooks/payload.ts',
  ],
  'src/engine/rails/': SHARED,
  'src/engine/attempts/': [
    ...SHARED,
    'src/engine/alerts/happenings.ts',
    'src/engine/account/client.ts',
    'src/engine/intent/client.ts',
    'src/engine/intent/protocol.ts',
    'src/engine/merchants/numbers.ts',
    'src/engine/rails/',
  ],
  'src/engine/refunds/': [
    ...SHARED,
    'src/engine/account/client.ts',
    'src/engine/account/protocol.ts',
    'src/engine/attempts/',
    'src/engine/intent/client.ts',
    'src/engine/intent/protocol.ts',
    'src/engine/merchants/refund-limits.ts',
    'src/engine/rails/',
  ],
  'src/engine/checkout/': [
    ...SHARED,
    'src/engine/attempts/',
    'src/engine/i18n/',
    'src/engine/intent/client.ts',
    'src/engine/merchants/logo.ts',
    'src/engine/rails/callback.ts',
    'src/engine/rails/registry.ts',
    'src/engine/rails/simulator/',
    'src/engine/refunds/',
    'src/kit/ui/',
    'src/engine/webhooks/payload.ts',
  ],
  // The members' side reads other rooms' data, and changes it by its own statements and calls.
  'back-office/dashboard/': [
    ...SHARED,
    'src/lists/book/',
    'back-office/audit.ts',
    'back-office/config.ts',
    'back-office/env.ts',
    'back-office/payments-plane.ts',
    'back-office/refused-sign-ins.ts',
    'src/control/rpc/',
    'src/control/audit/',
    'back-office/elements/',
    'back-office/i18n/',
    'back-office/ui/',
    'src/engine/checkout/',
    'src/engine/i18n/',
    'src/control/rpc/',
    'src/engine/intent/client.ts',
    'src/engine/intent/protocol.ts',
    'back-office/members/',
    'src/control/merchants/',
    'src/engine/rails/registry.ts',
    'src/engine/rails/settings.ts',
    'src/engine/refunds/',
    'src/kit/ui/',
    'src/engine/webhooks/',
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
    'src/control/audit/',
    'src/engine/i18n/',
    'src/control/rpc/alerts.ts',
    'src/control/rpc/operations.ts',
    'src/engine/intent/protocol.ts',
    'src/control/operator/fields.ts',
    'src/control/health/needs.ts',
    'src/control/operator/page-query.ts',
    'src/control/operator/problems.ts',
    'src/recovery/restore/rows.ts',
    'src/control/self-check/findings.ts',
    'src/control/self-check/settle.ts',
    'src/kit/ui/texts.ts',
  ],
  'src/control/operator/': [
    ...SHARED,
    'src/engine/alerts/client.ts',
    'src/control/alerts/config.ts',
    'src/control/audit/',
    'src/recovery/backup/',
    'src/lists/book/',
    'src/control/dead-letters/',
    'src/engine/intent/client.ts',
    'src/engine/intent/protocol.ts',
    'src/engine/intent/receipt-conflicts.ts',
    'src/engine/intent/receipt-keys.ts',
    'src/engine/account/client.ts',
    'src/recovery/backup/',
    'src/control/merchants/',
    'src/recovery/restore/',
    'src/engine/rails/rail.ts',
    'src/engine/rails/registry.ts',
    'src/engine/rails/settings.ts',
    'src/engine/refunds/',
    'src/engine/webhooks/secret-store.ts',
  ],
  // The operator's proof that every part works: it calls one function of each.
  'src/control/self-check/': [
    ...SHARED,
    'src/engine/account/client.ts',
    'src/control/alerts/',
    'src/engine/attempts/',
    'src/kit/audit/log.ts',
    'src/recovery/incomplete.ts',
    'src/lists/book/client.ts',
    'src/control/dead-letters/queues.ts',
    'src/engine/intent/client.ts',
    'src/control/health/rails.ts',
    'src/engine/rails/registry.ts',
    'src/engine/webhooks/published-keys.ts',
  ],
  // What the object of the alerts looks at: it reads every part's own state.
  'src/control/watch/': [
    ...SHARED,
    'src/control/alerts/',
    'src/recovery/backup/',
    'src/control/dead-letters/',
    'src/control/health/health.ts',
    'src/control/self-check/',
  ],
  'src/engine/api/': [
    ...SHARED,
    'src/lists/book/',
    'src/engine/account/client.ts',
    'src/kit/audit/log.ts',
    'src/engine/attempts/',
    'src/engine/intent/client.ts',
    'src/engine/intent/book-message.ts',
    'src/engine/intent/protocol.ts',
    'src/control/merchants/',
    'src/engine/rails/rail-order.ts',
    'src/engine/rails/rail.ts',
    'src/engine/rails/registry.ts',
    'src/engine/rails/settings.ts',
    'src/engine/refunds/',
    'src/engine/webhooks/',
  ],
};

/** Packages that a folder may import; other folders may import none. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'src/kit/http/': ['itty-router', 'valibot'],
  'src/engine/api/': ['valibot'],
  'src/engine/checkout/': ['preact', 'uqr'],
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
  'src/kit/ui/': ['preact', 'preact-render-to-string'],
  'back-office/ui/': ['preact', 'preact/hooks'],
  'back-office/members/': ['@simplewebauthn/server', '@simplewebauthn/server/helpers', 'valibot'],
  'src/control/operator/': ['valibot'],
  'src/engine/refunds/': ['valibot'],
  'src/engine/rails/': ['valibot'],
  'src/lists/book/': ['cloudflare:workers'],
  'src/engine/account/': ['cloudflare:workers'],
  'src/engine/intent/': ['cloudflare:workers'],
  'src/kit/platform/': ['cloudflare:workers'],
  'src/control/rpc/': ['cloudflare:workers', 'valibot'],
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
    expect(importsOf('src/engine/intent/ports.ts').files).toContain('src/engine/domain/intent.ts');
  });
});

/** A room, or one of the small modules that rooms share. */
const placeOf = (file: string) => (file.startsWith('src/kit/platform/') ? file : roomOf(file));
const inRoom = (room: string) => files.filter((file) => roomOf(file) === room);

test('the payment object imports no adapter, page, translation or HTTP', () => {
  const reached = [...closureOf(GRAPH, inRoom('src/engine/intent'))];
  expect(reached.filter((file) => file.endsWith('.tsx'))).toEqual([]);
  expect([...new Set(reached.map(placeOf))].sort()).toEqual([
    'src/engine/account',
    'src/engine/config.ts',
    'src/kit/crypto',
    'src/engine/domain',
    'src/engine/intent',
    'src/kit/platform/concurrently.ts',
    'src/kit/platform/database.ts',
    'src/kit/platform/log.ts',
    'src/kit/platform/object-call.ts',
    'src/kit/platform/objects.ts',
    'src/kit/platform/unavailable.ts',
  ]);
});

describe('adapters are data in, data out', () => {
  const reached = [...closureOf(GRAPH, inRoom('src/engine/rails'))];

  test('they import no page, no translation and no object', () => {
    expect(reached.filter((file) => file.endsWith('.tsx'))).toEqual([]);
    expect([...new Set(reached.map(placeOf))].sort()).toEqual([
      'src/engine/config.ts',
      'src/kit/crypto',
      'src/engine/domain',
      'src/kit/http',
      'src/kit/platform/bounded-cache.ts',
      'src/kit/platform/log.ts',
      'src/kit/platform/repeated-names.ts',
      'src/engine/rails',
    ]);
  });

  test('only the transport uses HTTP: it calls providers and reads their answers', () => {
    const withHttp = reached.filter((file) => importsOf(file).files.some(isHttp));
    expect(withHttp).toEqual(['src/engine/rails/call-rail.ts']);
    expect(reached.filter(isHttp)).toEqual(['src/kit/http/read-bytes.ts']);
    const callers = inRoom('src/engine/rails').filter((file) => /\bfetch\(/.test(codeOf(file)));
    expect(callers).toEqual(['src/engine/rails/call-rail.ts']);
  });

  test.each(inRoom('src/engine/rails'))('%s names no type of HTTP', (file) => {
    // Providers' own messages have members of these names.
    const withoutTexts = codeOf(file).replaceAll(/'[^'\n]*'|`[^`]*`/g, '');
    expect(withoutTexts).not.toMatch(/\b(?:Request|Response|Headers|FormData)\b(?!:)/);
  });

  function isHttp(file: string): boolean {
    return roomOf(file) === 'src/kit/http';
  }
});

test('a file fits on a few screens', () => {
  // A translator edits one file per language, of any length.
  const code = files.filter(
    (file) => !/^(?:src\/engine|back-office)\/i18n\/(?:en|am|om|ti)[./]/.test(file),
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
    /^(?:src\/(?:engine\/api|lists\/api|kit\/http|control|recovery)|back-office\/operator)\//.test(
      file,
    ),
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

test('every query of D1 has the time limit of src/kit/platform/database.ts', () => {
  const queries = /\b(?:db|DB)\s*\.(?:prepare|batch|exec|withSession)\(/;
  const found = files.filter((file) => queries.test(codeOf(file)));
  expect(found).toEqual(['src/kit/platform/database.ts']);
});

test('only the edges use the wire’s spelling', () => {
  const words = /\b(expireIn|apiKey|webHookEvent|testModeType|simulationStatus)\b/;
  // Adapters have their own wire formats and terms.
  const inner = files.filter((file) =>
    /^src\/(engine\/domain|engine\/intent|lists\/book)\//.test(file),
  );
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
