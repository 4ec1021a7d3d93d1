import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../../scripts/openapi/document.ts';
import { amountsTable, webhookFaultsTable } from '../../../scripts/openapi/sandbox-tables.ts';
import { FAILURE_REASONS } from '../../../src/engine/domain/attempt.ts';
import { SCENARIOS } from '../../../src/engine/rails/simulator/scenarios.ts';

/**
 * Goal: the sandbox's tables are the same in the code, the documentation and the API description.
 * The simulator's page renders them from the code: `checkout-pages.test.ts`.
 */

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../../docs/sandbox.md'), 'utf8');

test.each([
  ['amounts', amountsTable()],
  ['faults of webhooks', webhookFaultsTable()],
])('docs/sandbox.md and the API description have the table of %s', (_name, table) => {
  expect(DOCUMENT).toContain(`\n\n${table}\n\n`);
  const sandbox = openApiDocument('1.0.0').tags.find(({ name }) => name === 'Sandbox');
  expect(sandbox?.description).toContain(table);
});

test('each amount has one row, and each failure reason has one', () => {
  const amounts = Object.values(SCENARIOS).map(({ amountMinor }) => amountMinor);
  expect(new Set(amounts).size).toBe(amounts.length);
  expect(Object.keys(SCENARIOS)).toEqual(expect.arrayContaining([...FAILURE_REASONS]));
});
