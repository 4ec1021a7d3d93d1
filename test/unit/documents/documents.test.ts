import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';
import { SUBJECT_IDS } from '../../../src/engine/alerts/subjects.ts';
import { openIntent } from '../../../src/engine/domain/decide.ts';
import { newRecord } from '../../../src/engine/intent/store.ts';
import {
  CHANGE_ACTIONS,
  OUTCOME_ACTIONS,
  REQUEST_ACTIONS,
} from '../../../src/kit/audit/actions.ts';
import { blocksOf, DOCUMENTS } from '../../support/documents/markdown.ts';
import { someTerms } from '../../support/intents.ts';

/**
 * Goal: a reader can open every link of a document and every citation in the code, and
 * docs/promises.md and docs/operations.md match the tests and the log. Method: read the Markdown
 * files for links and anchors, and the sources for citations such as `docs/decisions.md#8, #10`.
 * Test titles leave out `docs/`.
 */

const SOURCES = globSync('{src,back-office,test,scripts,lab,migrations}/**/*.{ts,tsx,sql}', {
  cwd: PROJECT_DIRECTORY,
}).filter((path) => basename(path) !== basename(import.meta.filename));
const DEPLOYED = SOURCES.filter((path) => /^(?:src|back-office)\//.test(path))
  .map(read)
  .join('\n');
const PROMISES = 'docs/promises.md';
const DECISIONS = 'docs/decisions.md';
/** Its path, or its name alone; no pattern. */
const TEST_FILE = /(?<![\w./*-])\w[\w./-]*\.test\.ts\b/g;
/** A payment's id where a sample creates it, in the syntax of each language. */
const NEW_PAYMENT = /\b(?:paymentIntentUniqueId|id)["']?(?::| =>) ["'](order-\d+)/g;

describe('links', () => {
  test.each(DOCUMENTS)('in %s resolve', (document) => {
    const broken = linksOf(document).filter((target) => !resolves(target));
    expect(broken).toEqual([]);
  });
});

describe('samples', () => {
  test.each(['sh', 'ts', 'php', 'python'])('in %s create each payment on one page', (language) => {
    // The clients have the samples of docs/clients.md.
    const pages = DOCUMENTS.filter((document) => !document.startsWith('clients/'));
    const created = pages.flatMap((document) => [
      ...new Set(
        blocksOf(document)
          .filter((block) => block.language === language && !block.text.includes('refundUniqueId'))
          .flatMap(({ text }) => [...text.matchAll(NEW_PAYMENT)].map(([, id]) => id)),
      ),
    ]);
    expect(created).not.toEqual([]);
    expect(created.filter((id, index) => created.indexOf(id) !== index)).toEqual([]);
  });
});

describe('files of the repository', () => {
  test.each(DOCUMENTS)('that %s names exist', (document) => {
    const missing = pathsNamedIn(document).filter(
      (path) => !existsSync(join(PROJECT_DIRECTORY, path)),
    );
    expect(missing).toEqual([]);
  });
});

describe('test files', () => {
  test('that documents and sources name exist', () => {
    const files = globSync('{test,lab}/**/*.test.ts', { cwd: PROJECT_DIRECTORY });
    const missing = [...DOCUMENTS, ...SOURCES].flatMap((path) =>
      [...read(path).matchAll(TEST_FILE)]
        .filter(([name]) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))
        .map(([name]) => `${path}: ${name}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('docs/operations.md', () => {
  test('has every action of the audit log, and when its entry is written', () => {
    const [, section = ''] = read('docs/operations.md').split('## Audit log');
    const rows = [...section.matchAll(/^\| `([a-z_.]+)` +\| (before|same batch|after) +\| \w/gm)];
    const actions = (when: string) => rows.flatMap((row) => (row[2] === when ? [row[1]] : []));
    expect(actions('before')).toEqual(REQUEST_ACTIONS);
    expect(actions('same batch')).toEqual(CHANGE_ACTIONS);
    expect(actions('after')).toEqual(OUTCOME_ACTIONS);
  });

  test('lists every event that the code logs, and no other', () => {
    const [, list = ''] = read('docs/operations.md').split('## Log events');
    const documented = [...list.matchAll(/^- .*?:/gm)].flatMap(
      ([line]) => line.match(/[a-z_]+(?=`)/g) ?? [],
    );
    const logged = loggedEvents().map(({ event }) => event);
    expect(logged.filter((event) => !documented.includes(event))).toEqual([]);
    expect(documented.filter((event) => !DEPLOYED.includes(`'${event}'`))).toEqual([]);
  });
});

describe('docs/night.md', () => {
  test('has a section for each subject of an alert, and no other', () => {
    const [, section = ''] = read('docs/night.md').split(/^## Subjects.*$/m);
    const [subjects = ''] = section.split(/^## /m);
    const anchors = [...subjects.matchAll(/^### .* <a id="([a-z_]+)"><\/a>$/gm)];
    expect(anchors.map(([, id]) => id)).toEqual(SUBJECT_IDS);
    for (const part of subjects.split(/^### /m).slice(1)) {
      expect(part).toMatch(/^- \*\*Money\*\*: .*\n- \*\*Do\*\*: /m);
    }
  });

  test('names every event at level error, so that an alert of Cloudflare takes it', () => {
    const [, list = ''] = read('docs/night.md').split("**Cloudflare's own alerts**");
    const words = [...list.matchAll(/`([a-z_]+)`/g)].map(([, word]) => word);
    const named = words.filter((word) => word !== 'event' && word !== 'error');
    const errors = loggedEvents().filter(({ level }) => level.includes("'error'"));
    expect(errors.filter(({ event }) => !named.includes(event))).toEqual([]);
    expect(named.filter((event) => !DEPLOYED.includes(`'${event}'`))).toEqual([]);
  });
});

describe('docs/state-machine.md', () => {
  test('names only commands, rejections, events and reasons that the domain has', () => {
    const code = SOURCES.filter((path) => path.startsWith('src/engine/domain/'))
      .map(read)
      .join('\n');
    const named = read('docs/state-machine.md').matchAll(/`([a-z]+(?:_[a-z]+)+)`/g);
    const unknown = [...named].filter(([, word]) => !code.includes(`'${word}'`));
    expect(unknown.map(([, word]) => word)).toEqual([]);
  });

  test('names files that the domain has', () => {
    const files = [...read('docs/state-machine.md').matchAll(/^\| `([\w-]+\.ts)`/gm)];
    const missing = files.filter(
      ([, file]) => !existsSync(join(PROJECT_DIRECTORY, 'src', 'engine', 'domain', file ?? '')),
    );
    expect(missing.map(([, file]) => file)).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  test('shows a stored payment with the members that one has', () => {
    const [, json = ''] =
      /```json\n(\{\n {2}"schemaVersion"[\s\S]*?)```/.exec(read('docs/architecture.md')) ?? [];
    const shown = JSON.parse(json);
    const stored = newRecord({ intent: openIntent(someTerms()) });
    expect(Object.keys(shown)).toEqual(expect.arrayContaining(Object.keys(stored)));
    expect(Object.keys(stored)).toEqual(expect.arrayContaining(Object.keys(shown)));
    expect(Object.keys(shown.intent)).toEqual(Object.keys(stored.intent));
    expect(stored.intent.terms).toMatchObject(
      Object.fromEntries(Object.keys(shown.intent.terms).map((name) => [name, expect.anything()])),
    );
  });
});

describe('docs/reliability.md', () => {
  test('names each file of the security suite', () => {
    const named = pathsNamedIn('docs/reliability.md');
    const files = SOURCES.filter((path) => /^test\/security\/.*\.test\.ts$/.test(path));
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((path) => !named.includes(path))).toEqual([]);
  });
});

describe('citations', () => {
  test('in sources lead to a document and its heading', () => {
    const broken = SOURCES.flatMap((source) =>
      citationsOf(source)
        .filter((target) => !resolves(target))
        .map((target) => `${source}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  test('in sources name no document outside the repository', () => {
    const unopenable =
      /\b(?:decisions?|promises?|findings?|spec Errors) \d|\bspec "|(?<!docs\/)\b(?:spec|design|platform)\.md/i;
    expect(SOURCES.filter((source) => unopenable.test(read(source)))).toEqual([]);
  });

  test.each(anchorsOf(DECISIONS))('of decision %s exist in a test', (anchor) => {
    expect(testsThatCite(`${DECISIONS}#${anchor}`)).not.toEqual([]);
  });

  test.each(apiRules())('of %s exist in a test', (rule) => {
    expect(testsThatCite(`docs/api.md#${rule}`)).not.toEqual([]);
  });

  test.each(anchorsOf(PROMISES))('of promise %s are the tests that the page names', (anchor) => {
    expect(testsNamedUnder(anchor)).toEqual(testsThatCite(`${PROMISES}#${anchor}`));
  });

  test.each(anchorsOf(PROMISES))('of promise %s exist in a test that npm test runs', (anchor) => {
    const always = /^test\/(?:unit|rails|workers|security|smoke)\/(?!.*\.long\.test)/;
    expect(testsNamedUnder(anchor).filter((file) => always.test(file))).not.toEqual([]);
  });
});

/** The conditions and rules of the interface that have a number. */
function apiRules(): string[] {
  return explicitAnchorsOf('docs/api.md').filter((anchor) =>
    /^(error|express-rule)-\d+$/.test(anchor),
  );
}

/** Test files that cite exactly this target. */
function testsThatCite(target: string): string[] {
  return SOURCES.filter((path) => path.endsWith('.test.ts'))
    .filter((path) => citationsOf(path).includes(target))
    .sort();
}

/** The test files in the section of docs/promises.md that has this anchor. */
function testsNamedUnder(anchor: string): string[] {
  const section = read(PROMISES)
    .split(/^## /m)
    .find((text) => text.includes(`<a id="${anchor}">`));
  return [...(section ?? '').matchAll(/`(test\/[^`]+\.test\.ts)`/g)]
    .map(([, path]) => path ?? '')
    .sort();
}

/** Every `[text](target)` and `src="target"` within the repository, as path#anchor. */
function linksOf(document: string): string[] {
  const prose = read(document)
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g)]
    .map(([, link, image]) => link ?? image ?? '')
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path, anchor] = target.split('#');
      const file = path ? normalize(join(dirname(document), path)) : document;
      return anchor === undefined ? file : `${file}#${anchor}`;
    });
}

/** The calls of `log`, and the events that an area of the gateway gives the router. */
function loggedEvents(): readonly { readonly level: string; readonly event: string }[] {
  const calls = DEPLOYED.matchAll(/\blog\(\s*([^,()]*),\s*'([a-z_]+)'/g);
  const failures = DEPLOYED.matchAll(/\bfailureEvent: '([a-z_]+)'/g);
  return [
    ...[...calls].map(([, level = '', event = '']) => ({ level, event })),
    ...[...failures].map(([, event = '']) => ({ level: "'error'", event })),
  ];
}

/** Paths such as `src/engine/intent/record.ts`, in backticks. */
function pathsNamedIn(document: string): string[] {
  const pattern =
    /`((?:src|back-office|test|scripts|lab|migrations|docs|public|clients)\/[\w./-]*)`/g;
  return [...read(document).matchAll(pattern)].map(([, path]) => path ?? '');
}

/** `docs/x.md`, `docs/x.md#anchor`, and each further anchor of `docs/x.md#8, #10`. */
function citationsOf(source: string): string[] {
  const text = read(source).replaceAll(/\n\s*(?:\*|\/\/|--) /g, ' ');
  const pattern =
    /(?:docs\/)?((?:[a-z0-9-]+\/)*[a-z0-9-]+\.md)((?:#[a-z0-9_-]+)(?:, #[a-z0-9_-]+)*)?/g;
  return [...text.matchAll(pattern)]
    .filter(([citation, , anchors]) => citation.startsWith('docs/') || anchors !== undefined)
    .flatMap(([, path, anchors]) =>
      anchors === undefined
        ? [`docs/${path}`]
        : anchors.split(', ').map((anchor) => `docs/${path}${anchor}`),
    );
}

function resolves(target: string): boolean {
  const [path = '', anchor] = target.split('#');
  if (!existsSync(join(PROJECT_DIRECTORY, path))) {
    return false;
  }
  return anchor === undefined || !path.endsWith('.md') || anchorsOf(path).includes(anchor);
}

/** Explicit anchors, and those that GitHub makes of headings without one. */
function anchorsOf(document: string): string[] {
  const headings = read(document)
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .match(/^#{1,6} .*$/gm);
  const slugs = (headings ?? []).filter((heading) => !heading.includes('<a id=')).map(slugOf);
  return document === DECISIONS || document === PROMISES
    ? explicitAnchorsOf(document)
    : [...explicitAnchorsOf(document), ...slugs];
}

function explicitAnchorsOf(document: string): string[] {
  return [...read(document).matchAll(/<a id="([^"]+)">/g)].map(([, anchor]) => anchor ?? '');
}

/** GitHub's anchor of a heading. */
function slugOf(heading: string): string {
  return heading
    .replace(/^#+ /, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function read(path: string): string {
  return readFileSync(join(PROJECT_DIRECTORY, path), 'utf8');
}
