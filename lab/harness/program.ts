import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs a program that prints to this terminal. Throws when it fails. */
export async function runProgram(
  program: string,
  args: readonly string[],
  directory: string,
): Promise<void> {
  const child = spawn(program, args, { cwd: directory, stdio: ['ignore', 'inherit', 'inherit'] });
  const [exitCode] = await once(child, 'exit');
  if (exitCode !== 0) {
    throw new Error(`${program} ${args.join(' ')} failed`);
  }
}
