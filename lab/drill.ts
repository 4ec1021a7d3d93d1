/**
 * `npm run lab -- drill [--payments 1000] [--kills 0] [--seed N] [--port N]`: rehearses the loss of a
 * whole gateway. It fills one with payments in every state, backs it up, destroys all but the fetched
 * copy, restores it into an empty gateway, and compares it field by field. `--kills` ends the gateway
 * with SIGKILL at random moments of the backup and the restore. Exits with 1 if anything differs.
 */
import { expectFreePort } from '../scripts/dev/ports.ts';
import { restoreLines } from '../scripts/operator/restore-lines.ts';
import { numberOption } from '../scripts/project/options.ts';
import { runDrill } from './drill/run.ts';
import { runLabScript, seedOption } from './harness/script.ts';

const DIFFERENCES_SHOWN = 100;

const SCRIPT = {
  usage: 'npm run lab -- drill',
  about: 'Loses a whole gateway, restores it from its backup, and compares everything.',
  options: {
    payments: numberOption('N', 'how many payments', 1_000, 5),
    kills: numberOption('N', 'how many kills during backup and restore', 0, 0),
    seed: seedOption('decides payments and kills'),
    port: numberOption('PORT', 'where the gateway listens', 8_796),
  },
};

const startedAtMs = performance.now();

await runLabScript(SCRIPT, async (options) => {
  say(`seed ${options.seed}, ${options.payments} payments, ${options.kills} kills`);
  await expectFreePort(options.port);
  const { proof, differences } = await runDrill({ ...options, say });
  const step = { phase: 'finished', rows: 0, payments: 0, proof };
  console.log(`\n${restoreLines(step).join('\n')}`);
  for (const difference of differences.slice(0, DIFFERENCES_SHOWN)) {
    console.log(`DIFFERS ${difference}`);
  }
  console.log(
    differences.length === 0
      ? 'Payments, refunds, lists, tables and rows are equal, field by field.'
      : `${differences.length} differences.`,
  );
  return differences.length === 0;
});

function say(text: string): void {
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
  console.log(`${seconds.padStart(6)} s  ${text}`);
}
