import { dirname, join } from 'node:path';
import { PYTHON_ROOT, startPython } from '../../../lab/harness/python.ts';
import { type Driver, lineDriver } from './driver.ts';

const DRIVER = 'test/support/clients/driver.py';

export async function pythonDriver(): Promise<Driver> {
  const python = await startPython();
  await python.runPythonAsync(
    `import sys; sys.path.append("${join(PYTHON_ROOT, dirname(DRIVER))}"); import driver`,
  );
  return lineDriver((line) => {
    python.globals.set('line', line);
    return python.runPythonAsync('driver.answer(line)');
  });
}

/** The text of the last expression of a program that uses the client. */
export async function textByPython(program: string): Promise<string> {
  const python = await startPython();
  return python.runPythonAsync(
    `import sys; sys.path.append("${join(PYTHON_ROOT, 'clients/python')}")\n${program}`,
  );
}
