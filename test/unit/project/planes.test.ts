import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { AREAS } from '../../../src/control/rpc/areas.ts';
import { closureOf, SOURCE_FILES as files, importGraph } from '../../support/import-graph.ts';

/** Goal: the payments plane works without the back office, which has one narrow way into it. */

const GRAPH = importGraph();
const config = (file: string) => parse(readFileSync(file, 'utf8'));
const backOffice = config('back-office/wrangler.toml');
const payments = config('wrangler.toml');

/** Tables of wrangler.toml that give a Worker no access to anything. */
const HARMLESS = [
  'alias',
  'build',
  'dependencies_instrumentation',
  'observability',
  'triggers',
  'vars',
  'version_metadata',
];

describe("the back office's Worker", () => {
  test('has its own database, files and counters, and one way into the payments plane', () => {
    const tables = Object.entries(backOffice).filter(
      ([name, value]) => typeof value === 'object' && !HARMLESS.includes(name),
    );
    const access = Object.fromEntries(tables.map(([name, value]) => [name, value]));
    expect(Object.keys(access).sort()).toEqual(
      ['assets', 'compatibility_flags', 'd1_databases', 'ratelimits', 'secrets', 'services'].sort(),
    );
    expect(access.services).toEqual([
      { binding: 'PAYMENTS', service: payments.name, entrypoint: 'Payments' },
    ]);
    expect(access.d1_databases).toMatchObject([{ binding: 'BACK_OFFICE_DB' }]);
    expect(access.secrets).toEqual({ required: ['BACK_OFFICE_KEYS', 'OPERATOR_SECRETS'] });
  });

  test('declares the bindings of its configuration', () => {
    const { vars, ratelimits } = backOffice as unknown as {
      readonly vars: Readonly<Record<string, string>>;
      readonly ratelimits: readonly { readonly name: string }[];
    };
    const declared = readFileSync('back-office/env.ts', 'utf8').matchAll(/readonly ([A-Z_]+):/g);
    expect([...declared].map(([, name]) => name).sort()).toEqual(
      [
        ...[
          'PAYMENTS',
          'BACK_OFFICE_DB',
          'ASSETS',
          'VERSION',
          'BACK_OFFICE_KEYS',
          'OPERATOR_SECRETS',
        ],
        ...ratelimits.map(({ name }) => name),
        ...Object.keys(vars),
      ].sort(),
    );
  });

  test('shares no secret and no counter with the payments plane', () => {
    const [own = [], others = []] = [backOffice, payments].map((one) => {
      const { secrets, ratelimits } = one as unknown as {
        readonly secrets: { readonly required: readonly string[] };
        readonly ratelimits: readonly { readonly namespace_id: string }[];
      };
      return [...secrets.required, ...ratelimits.map((limit) => limit.namespace_id)];
    });
    expect(own.filter((name) => others.includes(name))).toEqual([]);
  });
});

describe('the payments plane', () => {
  test('is bound to no other Worker', () => {
    expect(payments).not.toHaveProperty('services');
    expect(JSON.stringify(payments)).not.toContain('back-office');
  });

  test('imports nothing of the back office', () => {
    const reached = closureOf(
      GRAPH,
      files.filter((file) => file.startsWith('src/')),
    );
    expect([...reached].filter((file) => !file.startsWith('src/'))).toEqual([]);
  });
});

test('SECURITY.md lists all that the interface allows', async () => {
  const security = readFileSync('SECURITY.md', 'utf8');
  for (const [area, load] of Object.entries(AREAS)) {
    const names = Object.keys(await load());
    const row = security.split('\n').find((line) => line.startsWith(`- \`${area}\`:`)) ?? '';
    expect([...row.matchAll(/`(\w+)`/g)].map(([, name]) => name).slice(1)).toEqual(names.sort());
  }
});
