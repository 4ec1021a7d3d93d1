import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { RepositoryCopy } from '../../lab/mutants/repository-copy.ts';
import type { Method } from '../../src/engine/domain/method.ts';
import { checkout as english } from '../../src/engine/i18n/en.ts';
import { INSERTIONS } from '../fixtures/seventh-rail/insertions.ts';

/**
 * Goal: a method costs exactly the files that docs/changing.md names under "Add a rail", and nothing
 * else knows the methods by name.
 * Method: a copy of the project gets an invented method by those files alone. It must compile, and a
 * gateway of the copy must take its payments and refunds.
 */

const FIXTURE = 'test/fixtures/seventh-rail';
const METHOD = 'SELAM_PAY' as Method;
const RAIL = 'selam-pay';
const NEW_FILES = [
  `docs/rails/${RAIL}.md`,
  `scripts/stand-ins/${RAIL}.ts`,
  `src/engine/rails/${RAIL}/rail.ts`,
];

let copy: RepositoryCopy;
const run = promisify(execFile);

/** A module of the copy; all that it imports is of the copy, too. */
function ofCopy<Module>(path: string): Promise<Module> {
  return import(join(copy.directory, path));
}

beforeAll(async () => {
  copy = await RepositoryCopy.create();
  for (const file of NEW_FILES) {
    await cp(join(FIXTURE, file), join(copy.directory, file), { recursive: true });
  }
  for (const [file, lines] of Object.entries(INSERTIONS)) {
    let text = await copy.read(file);
    for (const [after, inserted] of Object.entries(lines)) {
      expect(text.split(`\n${after}\n`), `${file}: ${after}`).toHaveLength(2);
      text = text.replace(`\n${after}\n`, () => `\n${after}\n${inserted}\n`);
    }
    await writeFile(join(copy.directory, file), text);
  }
});

afterAll(() => copy.remove());

test('docs/changing.md names these files and no others', async () => {
  const text = await readFile('docs/changing.md', 'utf8');
  const section = /^## Add a rail\n(.*?)^## /ms.exec(text)?.[1] ?? '';
  const named = [...section.matchAll(/^\d\. `([^`]+)`/gm)].map(([, name = '']) =>
    name.replace('<rail>', RAIL),
  );
  expect(named.sort()).toEqual([...NEW_FILES, ...Object.keys(INSERTIONS)].sort());
});

// Together they import all of the Workers and the scripts.
test.each(['test', 'test/workers'])(
  'the copy compiles: %s',
  async (project) => {
    const args = ['node_modules/typescript/bin/tsc', '-p', project, '--singleThreaded'];
    // tsc prints its findings on standard output.
    const found = await run(process.execPath, args, { cwd: copy.directory }).then(
      () => '',
      ({ stdout, message }) => stdout || message,
    );
    expect(found).toBe('');
  },
  300_000,
);

test('a gateway takes its payments by callback and by query, and refunds them', async () => {
  vi.stubEnv('KEFEL_PAYMENTS_ONLY', 'true');
  const { RailsScene } = await ofCopy<typeof import('../support/e2e-rails.ts')>(
    'test/support/e2e-rails.ts',
  );
  const { expectTold, PAID } = await ofCopy<typeof import('../support/e2e-rails-endings.ts')>(
    'test/support/e2e-rails-endings.ts',
  );
  const { RefundedPayment } = await ofCopy<typeof import('../support/e2e-refunds.ts')>(
    'test/support/e2e-refunds.ts',
  );
  const { open } = await ofCopy<typeof import('../support/e2e-visitor.ts')>(
    'test/support/e2e-visitor.ts',
  );
  const rails = new RailsScene('seventh-rail');
  await rails.start();
  try {
    for (const kind of ['express', 'hosted'] as const) {
      const cell = { method: METHOD, kind };
      const reported = await rails.create(cell);
      if (kind === 'hosted') {
        const page = await open(reported.checkoutUrl);
        expect(page.text).toContain('Selam Pay');
        expect(page.text).toContain('On the Selam Pay page');
      }
      await reported.start();
      expect(reported.page?.heading).toBe('Selam Pay');
      await reported.act('pays');
      await expectTold(reported, [PAID]);
      expect(await reported.order()).toMatchObject({ acted: 'pays' });

      // Without a report, the customer's return makes the gateway ask.
      const queried = await rails.pay(cell, { plan: { callback: 'never' } });
      await queried.act('pays');
      await expectTold(queried, [PAID]);
      if (kind === 'hosted') {
        expect((await open(queried.checkoutUrl)).heading).toBe(english.paidTitle);
      }

      const refunded = await RefundedPayment.paid(rails, cell);
      const refund = await refunded.asked();
      await refunded.expectTold(refund, 'REFUND_SUCCESS', { status: 'SUCCESS' });
      const [returned] = await refunded.returned();
      expect(Number(returned) * 100).toBe(refunded.payment.chargedMinor);
    }
  } finally {
    await rails.close();
    vi.unstubAllEnvs();
  }
});
