import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startPython } from '../harness/python.ts';
import type { Stage } from './stage.ts';

/** Calls the hooks of PEP 517 as an installer does. */
const BUILD = `
import os, sys
os.chdir("/kefel/clients/python")
sys.dont_write_bytecode = True
sys.path.insert(0, ".")
import build_package
names = [build_package.build_wheel("/output"), build_package.build_sdist("/output")]
sys.path.pop(0)
os.chdir("/")
names
`;

/** The folder of installed packages. */
const SITE = 'import sysconfig; sysconfig.get_path("purelib")';

/** What makes the import one of the installed package, with its types and metadata. */
const INSPECT = `
import importlib.metadata, importlib.resources, kefel
assert "site-packages" in kefel.__file__
assert importlib.metadata.version("kefel") == kefel.__version__
assert importlib.resources.files("kefel").joinpath("py.typed").is_file()
`;

/** The wheel, built and unpacked by Python in WebAssembly; and by pip, where there is one. */
export async function checkPython(stage: Stage): Promise<string> {
  const python = await startPython();
  await python.mountNodeFS('/output', stage.output);
  const [wheel, source] = (await python.runPythonAsync(BUILD)).toJs();
  // Pyodide knows no Buffer.
  const archive = new Uint8Array(await readFile(join(stage.output, wheel)));
  python.unpackArchive(archive, 'wheel', { extractDir: await python.runPythonAsync(SITE) });
  let printed = '';
  python.setStdout({
    batched: (line) => {
      printed += line;
    },
  });
  const environment = python.toPy({ ...stage.merchant });
  python.globals.set('environment', environment);
  await python.runPythonAsync('import os; os.environ.update(environment)');
  await python.runPythonAsync(INSPECT);
  await python.runPythonAsync(stage.firstPayment('python', 'python'));
  await stage.expectPage(printed);
  const version = await python.runPythonAsync('import platform; platform.python_version()');
  const results = [`Python ${version} in WebAssembly`];
  for (const name of [wheel, source]) {
    results.push(...(await withPip(stage, name)));
  }
  return results.join('; ');
}

/** Installs an archive into an empty environment by the pip of this machine. */
async function withPip(stage: Stage, name: string): Promise<readonly string[]> {
  const project = await stage.emptyProject(name);
  const bin = join(project, 'venv', 'bin');
  try {
    await stage.run('python3', ['-m', 'venv', 'venv'], project);
  } catch {
    return [];
  }
  const install = ['install', '--quiet', '--no-index', join(stage.output, name)];
  await stage.run(join(bin, 'pip'), install, project);
  await writeFile(join(project, 'pay.py'), INSPECT + stage.firstPayment('python', 'python'));
  await stage.expectPage(await stage.run(join(bin, 'python'), ['pay.py'], project));
  const pip = (await stage.run(join(bin, 'pip'), ['--version'], project)).split(' from ')[0];
  return [`${name} by ${pip}`];
}
