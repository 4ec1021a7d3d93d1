/** `npm run generate`: makes every generated file that is committed. */
import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { PROJECT_DIRECTORY } from './project/files.ts';
import { GENERATORS } from './project/generators.ts';
import { runScript } from './project/options.ts';

const SCRIPT = {
  usage: 'npm run generate',
  about: 'Writes all generated files; `npm run check` compares them.',
  options: {},
};

const run = promisify(exec);

await runScript(SCRIPT, async () => {
  for (const command of GENERATORS) {
    const { stdout } = await run(command, { cwd: PROJECT_DIRECTORY });
    process.stdout.write(command.startsWith('node ') ? stdout : '');
  }
});
