import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';

/**
 * Goal: each client is a package that its registry accepts, with the version of the gateway. Method:
 * read the manifests, and have npm list what it would pack. `npm run lab -- packages` installs and runs them.
 */

const CLIENTS = join(PROJECT_DIRECTORY, 'clients');
const read = (path: string) => readFileSync(join(PROJECT_DIRECTORY, path), 'utf8');
const { version, license } = JSON.parse(read('package.json'));

const TEXT = { type: 'string', minLength: 1 };
const TEXTS = { type: 'array', items: TEXT, uniqueItems: true };
const VERSION = { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$' };

/** The fields that we use, by the rules of https://getcomposer.org/doc/04-schema.md. */
const COMPOSER = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'description', 'license', 'require', 'autoload'],
  properties: {
    name: { type: 'string', pattern: '^[a-z0-9]+([_.-]?[a-z0-9]+)*/[a-z0-9]+([_.-]?[a-z0-9]+)*$' },
    version: VERSION,
    description: TEXT,
    type: { enum: ['library'] },
    license: TEXT,
    keywords: TEXTS,
    require: {
      type: 'object',
      propertyNames: { pattern: '^(?:php|ext-[a-z0-9]+)$' },
      additionalProperties: { type: 'string', pattern: '^(?:\\*|>=\\d+(?:\\.\\d+)*)$' },
    },
    autoload: { type: 'object', additionalProperties: false, properties: { classmap: TEXTS } },
  },
};

/**
 * The fields that we use, by the rules of
 * https://packaging.python.org/en/latest/specifications/pyproject-toml/.
 */
const PYPROJECT = {
  type: 'object',
  additionalProperties: false,
  required: ['build-system', 'project'],
  properties: {
    'build-system': {
      type: 'object',
      additionalProperties: false,
      required: ['requires'],
      properties: { requires: TEXTS, 'build-backend': TEXT, 'backend-path': TEXTS },
    },
    project: {
      type: 'object',
      additionalProperties: false,
      required: ['name', 'version'],
      properties: {
        name: { type: 'string', pattern: '^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$' },
        version: VERSION,
        description: { type: 'string', pattern: '^[^\\n]+$' },
        readme: TEXT,
        'requires-python': { type: 'string', pattern: '^>=3(?:\\.\\d+)+$' },
        license: TEXT,
        'license-files': TEXTS,
        keywords: TEXTS,
        classifiers: { ...TEXTS, items: { type: 'string', pattern: '^[^:]+(?: :: [^:]+)+$' } },
      },
    },
  },
};

const composer = JSON.parse(read('clients/php/composer.json'));
const pyproject = parse(read('clients/python/pyproject.toml')) as {
  readonly 'build-system': Readonly<Record<string, unknown>>;
  readonly project: Readonly<Record<string, unknown>>;
};

/** Where the version stands besides the project's own package.json. */
const VERSIONS: Readonly<Record<string, unknown>> = {
  'clients/cli/package.json': JSON.parse(read('clients/cli/package.json')).version,
  'clients/php/Kefel.php': /VERSION = '(.*)';/.exec(read('clients/php/Kefel.php'))?.[1],
  'clients/php/composer.json': composer.version,
  'clients/python/kefel.py': /__version__ = "(.*)"/.exec(read('clients/python/kefel.py'))?.[1],
  'clients/python/pyproject.toml': pyproject.project.version,
  'clients/typescript/kefel.ts': /VERSION = '(.*)';/.exec(read('clients/typescript/kefel.ts'))?.[1],
  'clients/typescript/package.json': JSON.parse(read('clients/typescript/package.json')).version,
};

test.each(Object.entries(VERSIONS))('%s has the version of the gateway', (_file, found) => {
  expect(found).toBe(version);
});

test.each(['cli', 'php', 'python', 'typescript'])('clients/%s carries the license', (client) => {
  expect(read(`clients/${client}/LICENSE`)).toBe(read('LICENSE'));
});

/** The problems that a schema finds. */
function problemsOf(schema: object, manifest: unknown) {
  const validate = new Ajv({ allErrors: true }).compile(schema);
  validate(manifest);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

describe('composer.json', () => {
  test('follows the schema of Composer', () => {
    expect(problemsOf(COMPOSER, composer)).toEqual([]);
    expect(composer.license).toBe(license);
  });

  test('loads files that exist', () => {
    const files: readonly string[] = composer.autoload.classmap;
    expect(files.filter((file) => !existsSync(join(CLIENTS, 'php', file)))).toEqual([]);
    expect(files).not.toEqual([]);
  });
});

describe('pyproject.toml', () => {
  test('follows the specification of PyPA', () => {
    expect(problemsOf(PYPROJECT, pyproject)).toEqual([]);
    expect(pyproject.project.license).toBe(license);
  });

  test('names files that exist', () => {
    const { readme, 'license-files': licenses } = pyproject.project;
    const backend = `${pyproject['build-system']['build-backend']}.py`;
    const files = [readme, licenses, backend].flat().map(String);
    expect(files.filter((file) => !existsSync(join(CLIENTS, 'python', file)))).toEqual([]);
  });
});

describe('npm packs', () => {
  /** The files of a package. */
  async function packed(client: string): Promise<readonly string[]> {
    const options = { cwd: join(CLIENTS, client) };
    const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json'], options);
    const [{ files }] = JSON.parse(stdout.slice(stdout.search(/^\[$/m)));
    return files.map(({ path }: { path: string }) => path).sort();
  }

  test('of the TypeScript client what its manifest exports, and no source', async () => {
    const files = await packed('typescript');
    const { exports, main, types } = JSON.parse(read('clients/typescript/package.json'));
    const named = [...JSON.stringify({ exports, main, types }).matchAll(/"\.\/([^"]+)"/g)];
    expect(named.map(([, path]) => path).filter((path) => !files.includes(path ?? ''))).toEqual([]);
    expect(files.filter((path) => !path.startsWith('dist/'))).toEqual([
      'LICENSE',
      'README.md',
      'package.json',
    ]);
  });

  test('the command line as one file', async () => {
    expect(await packed('cli')).toEqual(['LICENSE', 'dist/kefel.js', 'package.json']);
  });
});
