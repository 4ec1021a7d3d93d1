import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { afterAll, describe, expect, test } from 'vitest';
import { parseCLI } from 'vitest/node';
import {
  BACK_OFFICE_CONFIG_FILE,
  PROJECT_DIRECTORY,
  WRANGLER_CONFIG_FILE,
} from '../../../scripts/project/files.ts';
import { CHANNEL_SECRETS } from '../../../src/control/alerts/config.ts';
import { METHODS } from '../../../src/engine/domain/method.ts';
import { railSecretName } from '../../../src/engine/rails/settings.ts';
import { ENVIRONMENTS } from '../../../src/kit/tenant.ts';
import { type Command, commandsOf } from '../../support/documents/commands.ts';
import { blocksOf, DOCUMENTS } from '../../support/documents/markdown.ts';
import { parseWrangler } from '../../support/documents/wrangler.ts';
import { COMPLETE } from '../rails/rail-settings-fixture.ts';

/**
 * Goal: no document shows a command that fails. Method: each command runs in a test, here or in the
 * one named below; wrangler's table accepts those for Cloudflare; few remain, each for a reason.
 */

const { version, scripts } = JSON.parse(
  readFileSync(join(PROJECT_DIRECTORY, 'package.json'), 'utf8'),
);

/** The tests of commands, by how the commands begin. */
const TESTS: readonly (readonly [start: string, file: string])[] = [
  ['npm run operator', 'test/workers/operator/documented-operator.test.ts'],
  ...['kefel', 'npx kefel'].map((start) => [start, 'test/e2e/documented-cli.test.ts'] as const),
  ['curl', 'test/e2e/guides.test.ts'],
  ['grep', 'test/e2e/guides.test.ts'],
  ['sed', 'test/e2e/first-minute.test.ts'],
  ['npx wrangler dev', 'test/e2e/first-minute.test.ts'],
  ['npm pack', 'test/unit/project/packages.test.ts'],
  // Every script's options, and --help; a whole run takes minutes.
  ...Object.entries<string>(scripts)
    .filter(([, command]) => /^node (--import \S+ )?\S+$/.test(command))
    .map(([name]) => [`npm run ${name}`, 'test/unit/documents/script-help.long.test.ts'] as const),
  ...['npx wrangler', 'npx vitest run', 'npm run secrets:generate', 'node -p', 'npx esbuild'].map(
    (start) => [start, 'test/unit/documents/documented-commands.test.ts'] as const,
  ),
];

/** Commands that no test runs. */
const REASONS: Readonly<Record<string, string>> = {
  'npm ci': 'installs what the tests run with',
  'npm test': 'runs this test',
  'npm run test:all': 'runs this test',
  'npm run check': 'npm test begins with it',
  'npm run format': 'npm run check says what it would write',
  'npm install -g http://localhost:8787/docs/download/kefel.tgz':
    'test/journeys/docs.test.ts runs what it installs',
  [`npm install ../kefel/clients/typescript/kefel-${version}.tgz`]:
    'npm run lab -- packages installs it',
  'composer config repositories.kefel path ../kefel/clients/php':
    'npm run lab -- packages installs it',
  'composer require kefel/kefel': 'npm run lab -- packages installs it',
  'pip install ../kefel/clients/python': 'npm run lab -- packages installs it',
  'openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out telebirr.pem':
    'OpenSSL is no part of the project',
  'jq --unbuffered --raw-output .logs[].message[]': 'jq is no part of the project',
  'jq --raw-output .items[] | select(.event.merchantId == "abebe") | .id':
    'jq is no part of the project',
  'jq --raw-output .items[].id': 'jq is no part of the project',
  // It only adds ids to a command that test/workers/operator/documented-operator.test.ts plays.
  'xargs npm run operator -- attention resend': 'xargs is no part of the project',
  'xargs npm run operator -- dead-letter retry': 'xargs is no part of the project',
  'git restore --source COMMIT --staged --worktree -- . :!deployments':
    'test/unit/deployment/newest-file.test.ts',
  'git commit -m Go back to COMMIT': 'Git is no part of the project',
  'git fetch upstream --tags': 'Git is no part of the project',
  'git merge TAG': 'Git is no part of the project',
};

/** All that the documents do at Cloudflare. Each needs an account, so wrangler only parses it. */
const CLOUD_COMMANDS = [
  'd1 create',
  'd1 execute',
  'd1 migrations apply',
  'd1 time-travel restore',
  'deploy',
  'login',
  'queues create',
  'r2 bucket create',
  'rollback',
  'secret bulk',
  'secret delete',
  'secret put',
  'tail',
  'vpc service create',
];

/** Fenced blocks of any other language could hide commands from this test. */
const LANGUAGES =
  'sh sql json toml text html js ts php python java go dart kotlin swift mermaid nginx'.split(' ');

/** The setting that turns on a rail's status query. */
const STATUS_QUERIES: Readonly<Record<string, object>> = {
  E_BIRR: {},
  M_PESA: { initiator: 'KefelInitiator', securityCredential: btoa('x'.repeat(256)) },
};

interface WranglerConfig {
  readonly name: string;
  readonly d1_databases: readonly { readonly database_name: string }[];
  readonly r2_buckets?: readonly { readonly bucket_name: string }[];
  readonly queues?: { readonly consumers: readonly { readonly queue: string }[] };
  readonly secrets: { readonly required: readonly string[] };
}

const commands = await commandsOf(DOCUMENTS);

/** `--silent` only keeps npm itself quiet. */
function textOf({ words }: Command): string {
  return words.filter((word) => word !== '--silent').join(' ');
}

/** Each command that begins so, once, under the place where it is first. */
function commandsThat(start: string): readonly Command[] {
  const found = new Map<string, Command>();
  for (const command of commands) {
    const text = textOf(command);
    if (`${text} `.startsWith(`${start} `) && !found.has(text)) {
      found.set(text, command);
    }
  }
  return [...found.values()];
}

describe('the documents', () => {
  test('have no command without a test or a reason', () => {
    const untested = commands.filter((command) => {
      const text = textOf(command);
      return !(text in REASONS) && !TESTS.some(([start]) => `${text} `.startsWith(`${start} `));
    });
    // Add a test for the command, and its start to TESTS above; or, at worst, a reason to REASONS.
    expect(untested.map((command) => `${command.place}: ${textOf(command)}`)).toEqual([]);
  });

  test('still have each command that needs a reason, and the tests of the others exist', () => {
    const all = new Set(commands.map(textOf));
    expect(Object.keys(REASONS).filter((text) => !all.has(text))).toEqual([]);
    expect(TESTS.filter(([, file]) => !existsSync(join(PROJECT_DIRECTORY, file)))).toEqual([]);
  });

  test('list every npm script among the commands of CONTRIBUTING.md', () => {
    const listed = commands
      .filter(({ document }) => document === 'CONTRIBUTING.md')
      .map((command) => textOf(command).split(' -- ')[0]);
    const all = Object.keys(scripts).map((name) => (name === 'test' ? name : `run ${name}`));
    expect(all.filter((words) => !listed.includes(`npm ${words}`))).toEqual([]);
  });

  test('hide no command in a block of another language', () => {
    const hidden = DOCUMENTS.flatMap((document) =>
      blocksOf(document)
        .filter(({ language }) => !LANGUAGES.includes(language))
        .map(({ line, language }) => `${document}:${line}: "${language}"`),
    );
    expect(hidden).toEqual([]);
  });
});

describe('commands at Cloudflare', () => {
  const cloud = commandsThat('npx wrangler');
  const configs = [WRANGLER_CONFIG_FILE, BACK_OFFICE_CONFIG_FILE].map(
    (file) => parse(readFileSync(file, 'utf8')) as unknown as WranglerConfig,
  );
  const queueNames = configs
    .flatMap(({ queues }) => queues?.consumers ?? [])
    .map(({ queue }) => queue);

  /** What the arguments of a command may be, by its first word. */
  const names: Readonly<Record<string, readonly string[]>> = {
    d1: configs.flatMap(({ d1_databases }) => d1_databases).map((one) => one.database_name),
    queues: queueNames,
    vpc: ['cps'],
    tail: configs.map(({ name }) => name),
    r2: configs.flatMap(({ r2_buckets = [] }) => r2_buckets).map((one) => one.bucket_name),
    secret: [
      ...configs.flatMap(({ secrets }) => secrets.required),
      ...ENVIRONMENTS.flatMap((environment) =>
        METHODS.map((method) => railSecretName(environment, method)),
      ),
      ...CHANNEL_SECRETS,
      '$HOME/kefel-secrets.json',
      '$HOME/kefel-back-office-secrets.json',
    ],
  };

  test.each(cloud)('$place: wrangler takes it, and its names are ours', ({ words }) => {
    const { name, arguments: args } = parseWrangler(words.slice(2));
    const known = names[name.split(' ')[0] ?? ''] ?? [];
    expect(args.filter((argument) => !known.includes(argument))).toEqual([]);
  });

  test('are all that the list has', () => {
    const parsed = cloud.map(({ words }) => parseWrangler(words.slice(2)).name);
    expect([...new Set(parsed)].filter((name) => name !== 'dev').sort()).toEqual(CLOUD_COMMANDS);
  });

  test('create each queue of wrangler.toml', () => {
    const created = commandsThat('npx wrangler queues create').map(({ words }) => words[4]);
    expect(created.sort()).toEqual([...queueNames].sort());
  });

  test.each([
    'queue create kefel-webhooks',
    'd1 exec kefel',
    'd1 execute',
    'd1 execute kefel --sql x',
    'secret put A B',
    'queues create kefel --jurisdiction mars',
  ])('are refused if wrangler lacks them: %s', (line) => {
    expect(() => parseWrangler(line.split(' '))).toThrow();
  });
});

describe('commands that need only a checkout', () => {
  const home = mkdtempSync(join(tmpdir(), 'kefel-reader-'));

  afterAll(() => rmSync(home, { recursive: true }));

  /** Runs a command as npm and npx would; resolves with its output. */
  function run(
    { words }: Command,
    { input = '', directory = PROJECT_DIRECTORY, code = 0 } = {},
  ): Promise<string> {
    const [program = '', ...args] = words.map((word) => word.replaceAll('$HOME', home));
    const [, name = '', ...options] = args.filter((word) => word !== '--silent' && word !== '--');
    const known: Readonly<Record<string, readonly string[]>> = {
      node: [process.execPath, ...args],
      npm: [process.execPath, ...String(scripts[name]).split(' ').slice(1), ...options],
      npx: [join(PROJECT_DIRECTORY, 'node_modules', '.bin', args[0] ?? ''), ...args.slice(1)],
    };
    const [file = program, ...rest] = known[program] ?? [];
    return new Promise((resolve, reject) => {
      const child = execFile(file, rest, { cwd: directory }, (error, output) =>
        (error?.code ?? 0) === code ? resolve(output) : reject(error),
      );
      child.stdin?.end(input);
    });
  }

  test('generate secrets, the alerts’ too, and read the operator’s out of them', async () => {
    const generated = await Promise.all(
      commandsThat('npm run secrets:generate').map((command) => run(command)),
    );
    expect(generated.join()).toContain('"LINK_SIGNING_KEYS": "k');
    for (const command of commandsThat('node -p')) {
      expect(await run(command)).toMatch(/^(?:kfl_op_[\w-]{43}|whsec_[\w+/]{43}=)\n$/);
    }
  });

  const checks = commandsThat('npm run operator -- rail check').flatMap((command) => {
    // A sentence may name the command alone.
    const method = METHODS.find((name) => command.words.includes(name));
    return method === undefined ? [] : [{ ...command, command, method }];
  });

  test.each(checks)(
    '$place: rail check understands the secret, and calls only with --live',
    async ({ command, method }) => {
      const isLive = command.words.includes('--live');
      const address = { baseUrl: 'http://localhost:9', statusQuery: STATUS_QUERIES[method] };
      const input = JSON.stringify({ ...COMPLETE[method], ...(isLive && address) });
      // No server listens at that address, which has an exit code of its own.
      const output = await run(command, { input, code: isLive ? 5 : 0 });
      expect(output).toMatch(new RegExp(`^RAIL_${method}_PRODUCTION is valid`));
      expect(output.includes('did not answer')).toBe(isLive);
    },
  );

  test.each(commandsThat('npx esbuild'))(
    '$place: makes JavaScript of the client',
    async (command) => {
      mkdirSync(join(home, 'shop'));
      cpSync(join(PROJECT_DIRECTORY, 'clients', 'typescript'), join(home, 'shop', 'kefel'), {
        recursive: true,
      });
      await run(command, { directory: join(home, 'shop') });
      const client = await import(join(home, 'shop', 'kefel', 'kefel.js'));
      expect(client).toHaveProperty('Kefel');
    },
  );

  test.each(commandsThat('npx vitest run'))('$place: Vitest finds its tests', ({ words }) => {
    const { filter, options } = parseCLI([...words.slice(1)]);
    const [project = ''] = [options.project ?? []].flat();
    const folder = project === 'workers' ? '{workers,security}' : project;
    const files = globSync(`test/${folder}/**/*.test.ts`, { cwd: PROJECT_DIRECTORY });
    expect(files).not.toEqual([]);
    for (const start of filter) {
      expect(files.filter((file) => file.startsWith(start))).not.toEqual([]);
    }
  });
});
