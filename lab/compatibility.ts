/**
 * `npm run lab -- compatibility [--with REF] [--planted]`: runs the working tree's Workers beside those of
 * a commit, by default the last one, as in the middle of a gradual deployment: old Workers with new
 * objects and the reverse, over every call between the parts, on one storage (docs/decisions.md#50).
 * Exits with 3 when the versions do not understand each other, and with 1 when they could not be run.
 * `--planted`: renames one member after the other on one side, and exits with 3 when a run does not
 * notice.
 */
import { numberOption, runScript } from '../scripts/project/options.ts';
import { codeOf, codeOfCommit } from './compatibility/bundles.ts';
import { notSaid } from './compatibility/covered.ts';
import { PLANTED, renamed } from './compatibility/planted.ts';
import { runCompatibility } from './compatibility/run.ts';

const PORT = 8797;
/** The exit code when both versions ran, and did not understand each other. */
const NOT_UNDERSTOOD = 3;

const SCRIPT = {
  usage: 'npm run lab -- compatibility',
  about: 'Runs the Workers of a commit beside those of the working tree.',
  options: {
    with: {
      value: 'REF',
      about: 'the commit, tag or branch that is deployed (default: HEAD)',
      read: (text: string | undefined) => text ?? 'HEAD',
    },
    planted: { value: null, about: 'check that a renamed member is noticed' },
    port: numberOption('PORT', 'where the Workers listen', PORT),
  },
};

const log = (line: string) => console.log(line);

await runScript(SCRIPT, async ({ with: commit, planted, port }) => {
  const current = await codeOf();
  const old = planted ? current : await codeOfCommit(commit);
  const verdict = await runCompatibility({ old, new: current, port, log });
  const unsaid = await notSaid(verdict.own.new);
  const faults = [...verdict.faults, ...unsaid.map((name) => `the scenario never calls ${name}`)];
  for (const [what, name] of planted ? Object.entries(PLANTED) : []) {
    log(`planted: ${what}, ${name}`);
    const changed = renamed(current, name);
    const known = { new: verdict.own.new };
    const found = await runCompatibility({ old: changed, new: current, port, known });
    log(`  ${found.faults[0] ?? 'not noticed'}`);
    faults.push(...(found.faults.length === 0 ? [`${what}, ${name}, was renamed unnoticed`] : []));
  }
  for (const fault of faults) {
    console.error(fault);
  }
  console.log(faults.length === 0 ? 'The versions understand each other.' : 'They do not.');
  if (faults.length > 0) {
    process.exit(NOT_UNDERSTOOD);
  }
});
