import { loadPyodide, type PyodideAPI } from 'pyodide';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';

/** Where the runtime sees the project. */
export const PYTHON_ROOT = '/kefel';

/** CPython, compiled to WebAssembly. It reads this project's files, and its connections are real. */
export async function startPython(): Promise<PyodideAPI> {
  const python = await loadPyodide();
  await python.useNodeSockFS();
  await python.mountNodeFS(PYTHON_ROOT, PROJECT_DIRECTORY);
  return python;
}
