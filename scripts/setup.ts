/**
 * `npm run setup`: sets a gateway up in an account of Cloudflare, or completes and repairs one. It can
 * be repeated at any time, and changes nothing that is right. See docs/deploy.md.
 */
import { DEPLOYMENT_OPTIONS, placesOf } from './deployment/options.ts';
import { runScript } from './project/options.ts';
import { processTools } from './setup/process-tools.ts';
import { runSetup } from './setup/run.ts';
import { commandOf } from './setup/terminal.ts';

const SCRIPT = {
  usage: 'npm run setup',
  about: `Sets a gateway up in your account of Cloudflare, step by step, and explains each step first.
Repeat it at any time: it changes nothing that is right, and continues after a failure.`,
  options: {
    ...DEPLOYMENT_OPTIONS,
    url: { value: 'URL', about: "customers' address, or workers.dev" },
    'office-url': { value: 'URL', about: "merchants' and operators' address; left out: the same" },
    operator: { value: 'NAME', about: 'the first operator, for the audit log' },
    jurisdiction: { value: 'NAME', about: 'eu or none; can never be changed' },
    location: {
      value: 'REGION',
      about: 'where objects are made: weur, eeur, …; can never be changed',
    },
    'without-backup': { value: null, about: 'no bucket and no daily backup; for the first run' },
    yes: { value: null, about: 'ask nothing' },
    'dry-run': { value: null, about: 'say what it would do, and change nothing' },
  },
};

await runScript(SCRIPT, async (given) => {
  const options = {
    ...placesOf(given),
    url: given.url,
    officeUrl: given['office-url'],
    operator: given.operator,
    jurisdiction: given.jurisdiction,
    locationHint: given.location,
    isWithoutBackup: given['without-backup'],
    isYes: given.yes,
    isDryRun: given['dry-run'],
    command: commandOf('setup', given.env),
  };
  return runSetup(options, await processTools());
});
