/** `npm run lab`: lists what the lab runs. `npm run lab -- NAME [options]` runs one of them. */
import { join } from 'node:path';
import { PROJECT_DIRECTORY } from '../scripts/project/files.ts';
import { failed } from '../scripts/project/options.ts';
import { LAB } from './commands.ts';

const [name] = process.argv.splice(2, 1);
if (name === undefined || name === '--help') {
  const width = Math.max(...Object.keys(LAB).map((known) => known.length));
  const rows = Object.entries(LAB).map(([known, [, does]]) => `  ${known.padEnd(width)}  ${does}`);
  console.log(['npm run lab -- NAME [options]', '', ...rows].join('\n'));
} else {
  const [file] = Object.entries(LAB).find(([known]) => known === name)?.[1] ?? [];
  if (file === undefined) {
    failed(`the lab has no ${name}; \`npm run lab\` lists what it has`);
  }
  await import(join(PROJECT_DIRECTORY, file));
}
