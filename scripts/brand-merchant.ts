/**
 * `npm run merchant:brand -- --merchant ID [--colour '#rrggbb'] [--logo FILE] [--remote]`: changes
 * the colour and logo that customers see on a merchant's pages, in both environments. What is not
 * given stays; payments that exist keep what they were created with. Options:
 *
 *   --merchant ID                  required
 *   --colour '#rrggbb'|none
 *   --logo FILE|none               PNG, WebP or JPEG, at most 16 KiB
 *   --remote                       the deployed database
 *   --persist-to DIR               the local database of `npm run dev -- --persist-to DIR`
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { SqlStatement } from '../src/database.ts';
import { BRANDING_OPTIONS, brandingChanges, brandingStatements, brandingText } from './branding.ts';
import { executeRemotely, type LocalDatabase, prepareLocalDatabase } from './d1.ts';
import { DEFAULT_STATE_DIRECTORY } from './files.ts';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      merchant: { type: 'string' },
      ...BRANDING_OPTIONS,
      remote: { type: 'boolean', default: false },
      'persist-to': { type: 'string', default: DEFAULT_STATE_DIRECTORY },
    },
  });
  const merchantId = values.merchant;
  if (merchantId === undefined || merchantId === '') {
    throw new Error('--merchant is required: the id of the merchant');
  }
  const changes = await brandingChanges(values);
  const statements = brandingStatements(merchantId, changes, Date.now());
  if (statements.length === 0) {
    throw new Error('nothing to change: give --colour, --logo or both');
  }
  if (values.remote) {
    await brandRemotely(merchantId, statements);
  } else {
    await prepareLocalDatabase(resolve(values['persist-to']), async (database) => {
      await expectMerchant(database, merchantId);
      return statements;
    });
  }
  console.log(
    `Merchant ${merchantId}: ${brandingText(changes)}. In force for new payments within 10 s.`,
  );
}

async function expectMerchant(database: LocalDatabase, merchantId: string): Promise<void> {
  const { results } = await database
    .prepare('SELECT id FROM merchants WHERE id = ?1')
    .bind(merchantId)
    .all();
  if (results.length === 0) {
    throw new Error(`there is no merchant ${merchantId} in this database`);
  }
}

/** The database's references refuse an unknown merchant; wrangler prints it in SQLite's words. */
async function brandRemotely(
  merchantId: string,
  statements: readonly SqlStatement[],
): Promise<void> {
  try {
    await executeRemotely(statements);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${reason}. If it spoke of a FOREIGN KEY, there is no merchant ${merchantId}; nothing has changed.`,
    );
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
