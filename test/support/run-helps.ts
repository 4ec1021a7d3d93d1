/**
 * Imports scripts one after the other with `--help` in one process, and prints what each one printed,
 * as JSON. Its arguments are JSON lists: a script's file and its options.
 */
import { resolve } from 'node:path';

class Exit extends Error {}

const helps: string[] = [];
for (const argument of process.argv.slice(2)) {
  helps.push(await helpOf(JSON.parse(argument)));
}
console.log(JSON.stringify(helps));
process.exit(0);

async function helpOf([file = '', ...options]: readonly string[]): Promise<string> {
  const { argv, exit, stdout } = process;
  const write = stdout.write.bind(stdout);
  let printed = '';
  process.argv = [process.execPath, file, ...options, '--help'];
  // A script ends its process when it has printed its help.
  process.exit = () => {
    throw new Exit();
  };
  stdout.write = (text: string | Uint8Array) => {
    printed += text;
    return true;
  };
  try {
    await import(resolve(file));
  } catch (error) {
    if (!(error instanceof Exit)) {
      throw error;
    }
  } finally {
    Object.assign(process, { argv, exit });
    stdout.write = write;
  }
  return printed;
}
