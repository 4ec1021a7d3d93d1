import { dirname, join } from 'node:path';
import { loadPyodide, type PyodideAPI } from 'pyodide';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';
import { type Driver, lineDriver } from './driver.ts';

/** Where the runtime sees the project. */
const ROOT = '/kefel';
const DRIVER = 'test/support/clients/driver.py';

/** CPython, compiled to WebAssembly. It reads this project's files, and its connections are real. */
export async function startPython(): Promise<PyodideAPI> {
  const python = await loadPyodide();
  await python.useNodeSockFS();
  await python.mountNodeFS(ROOT, PROJECT_DIRECTORY);
  return python;
}

export async function pythonDriver(): Promise<Driver> {
  const python = await startPython();
  await python.runPythonAsync(
    `import sys; sys.path.append("${join(ROOT, dirname(DRIVER))}"); import driver`,
  );
  return lineDriver((line) => {
    python.globals.set('line', line);
    return python.runPythonAsync('driver.answer(line)');
  });
}
