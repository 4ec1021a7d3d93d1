import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  ALL_FILES,
  circlesOf,
  closureOf,
  codeOf,
  SOURCE_FILES as files,
  importGraph,
  importsOf,
  loadsOf,
  roomGraph,
  roomOf,
} from '../../support/import-graph.ts';

/**
 * Goal: the tree says what stands on what, and what a payment loads. Method: the graph of all imports,
 * types and `import()` included. An import that points upwards fails with its name.
 */

/** From the ground up: a file imports its own floor and those below it. */
const FLOORS: readonly (readonly string[])[] = [
  ['clients/'],
  ['src/kit/'],
  ['src/engine/domain/'],
  ['src/engine/'],
  ['src/lists/'],
  ['src/control/', 'src/recovery/'],
  // They put everything together.
  ['src/api.ts', 'src/connected-objects.ts', 'src/index.ts'],
  ['back-office/'],
  ['scripts/', 'site/'],
  ['demo/'],
  ['lab/'],
];

/** What `src/index.ts` must export of upper floors. Each loads the rest by `import()`. */
const FACADES = [
  'src/control/alerts/operator-alerts.ts',
  'src/control/provider-files/provider-files.ts',
  'src/control/rpc/entrypoint.ts',
  'src/lists/book/merchant-book.ts',
  'src/lists/receipt-index/receipt-index.ts',
];

/** Code for browsers, which imports none of a Worker's but these. */
const BROWSERS: Readonly<Record<string, string>> = {
  'src/engine/checkout/browser/': 'src/engine/i18n/popup.ts',
  // The preview has the color's rules of the server.
  'back-office/ui/browser/': 'src/kit/ui/brand.ts',
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
  'src/lists/api/': ['valibot'],
  'src/lists/links/': ['valibot'],
  'src/recovery/': ['valibot'],
  'src/engine/refunds/': ['valibot'],
  'src/engine/rails/': ['valibot'],
  'src/lists/book/': ['cloudflare:workers'],
  'src/engine/register/': ['cloudflare:workers'],
  'src/engine/intent/': ['cloudflare:workers'],
  'src/kit/platform/': ['cloudflare:workers'],
  'src/control/': ['cloudflare:workers', 'valibot'],
};

const GRAPH = importGraph(ALL_FILES);

function floorOf(file: string): number {
  return FLOORS.findIndex((folders) => folders.some((folder) => file.startsWith(folder)));
}

describe('imports', () => {
  test('every file has a floor', () => {
    expect(ALL_FILES.filter((file) => floorOf(file) === -1)).toEqual([]);
  });

  test.each(FLOORS.map((folders, floor) => [folders.join(' and '), floor] as const))(
    '%s: none points upwards',
    (_folders, floor) => {
      const here = ALL_FILES.filter((file) => floorOf(file) === floor);
      expect(here.length).toBeGreaterThan(0);
      const upwards = here.flatMap((file) =>
        importsOf(file)
          .files.filter((target) => floorOf(target) > floor || target.startsWith('test/'))
          .map((target) => `${file} imports ${target}`),
      );
      expect(upwards).toEqual([]);
    },
  );

  test('a payment loads kit and engine, and only façades of the floors above', () => {
    const loads = new Map(files.map((file) => [file, new Set(loadsOf(file))]));
    const reached = [...closureOf(loads, ['src/index.ts'])];
    const isBelow = (file: string) => /^src\/(?:kit\/|engine\/|[^/]+$)/.test(file);
    expect(reached.filter((file) => !isBelow(file)).sort()).toEqual(FACADES);
    expect(reached.length).toBeGreaterThan(100);
  });

  test.each(Object.entries(BROWSERS))('%s imports no code of a Worker', (folder, shared) => {
    const foreign = files
      .filter((file) => file.startsWith(folder))
      .flatMap((file) => importsOf(file).files)
      .filter((target) => !target.startsWith(folder) && target !== shared);
    expect(foreign).toEqual([]);
  });

  test.each(files)('%s imports only the packages of its folder', (file) => {
    const folder = Object.keys(PACKAGES).find((name) => file.startsWith(name));
    for (const name of importsOf(file).packages) {
      expect(PACKAGES[folder ?? ''] ?? [], `${file} imports ${name}`).toContain(name);
    }
  });

  test('every import resolves to a file', () => {
    const missing = files.flatMap((file) =>
      importsOf(file)
        .files.filter((target) => !GRAPH.has(target))
        .map((target) => `${file}: ${target}`),
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
    'src/engine/config.ts',
    'src/engine/domain',
    'src/engine/intent',
    // The rules and the list of payment links, which the register holds.
    'src/engine/links',
    'src/engine/register',
    'src/kit/config-error.ts',
    'src/kit/crypto',
    'src/kit/ethiopian-time.ts',
    'src/kit/loopback.ts',
    'src/kit/money.ts',
    'src/kit/name-proof.ts',
    'src/kit/platform/concurrently.ts',
    'src/kit/platform/database.ts',
    'src/kit/platform/log.ts',
    'src/kit/platform/object-alarm.ts',
    'src/kit/platform/object-call.ts',
    'src/kit/platform/objects.ts',
    'src/kit/platform/paging.ts',
    'src/kit/platform/placement.ts',
    'src/kit/platform/unavailable.ts',
    'src/kit/tenant.ts',
    'src/kit/text.ts',
  ]);
});

describe('adapters are data in, data out', () => {
  const reached = [...closureOf(GRAPH, inRoom('src/engine/rails'))];

  test('they import no page, no translation and no object', () => {
    expect(reached.filter((file) => file.endsWith('.tsx'))).toEqual([]);
    expect([...new Set(reached.map(placeOf))].sort()).toEqual([
      'src/engine/config.ts',
      'src/engine/domain',
      'src/engine/rails',
      'src/kit/config-error.ts',
      'src/kit/crypto',
      'src/kit/ethiopian-time.ts',
      'src/kit/http',
      'src/kit/loopback.ts',
      'src/kit/money.ts',
      'src/kit/name-proof.ts',
      'src/kit/platform/bounded-cache.ts',
      'src/kit/platform/log.ts',
      'src/kit/platform/placement.ts',
      'src/kit/platform/repeated-names.ts',
      'src/kit/tenant.ts',
      'src/kit/text.ts',
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

test('only the one alarm of an object sets alarms', () => {
  const found = files.filter((file) => /\b(?:set|get|delete)Alarm\(/.test(codeOf(file)));
  expect(found).toEqual(['src/kit/platform/object-alarm.ts']);
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
