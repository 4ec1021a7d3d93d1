import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT_DIRECTORY } from '../../scripts/project/files.ts';
import { runPhp, startPhp, writeIntoPhp } from '../harness/php.ts';
import type { Stage } from './stage.ts';

const PACKAGE = join(PROJECT_DIRECTORY, 'clients', 'php');
const INSTALLED = '/shop/vendor/kefel/kefel';
const CLASS = /^(?:final |abstract )*(?:class|interface|trait|enum) (\w+)/gm;

/**
 * The package in a project, as Composer lays it out: the folder is the package, and the autoloader
 * finds what `autoload.classmap` names. npm has no Composer, so this machine's runs where it has one.
 */
export async function checkComposer(stage: Stage): Promise<string> {
  const php = await startPhp();
  for (const file of readdirSync(PACKAGE)) {
    writeIntoPhp(php, join(INSTALLED, file), readFileSync(join(PACKAGE, file)));
  }
  writeIntoPhp(php, '/shop/vendor/autoload.php', autoloader());
  writeIntoPhp(php, '/shop/pay.php', firstPayment(stage));
  const scriptPath = '/shop/pay.php';
  await stage.expectPage(await runPhp(php, { scriptPath, env: { ...stage.merchant } }));
  const version = await runPhp(php, { code: '<?php echo PHP_VERSION;' });
  php.exit();
  return [`PHP ${version} in WebAssembly`, ...(await withComposer(stage))].join('; ');
}

function firstPayment(stage: Stage): string {
  return stage.firstPayment('php', 'php').replace("'/Kefel.php'", "'/vendor/autoload.php'");
}

/** Installs the package into an empty project by the Composer of this machine. */
async function withComposer(stage: Stage): Promise<readonly string[]> {
  const project = await stage.emptyProject('composer');
  const composer = (...words: string[]) =>
    stage.run('composer', [...words, '--no-interaction'], project);
  let version: string;
  try {
    version = await composer('--version');
  } catch {
    return [];
  }
  await stage.run('composer', ['validate'], PACKAGE);
  const repositories = [
    { type: 'path', url: PACKAGE, options: { symlink: false } },
    { packagist: false },
  ];
  await writeFile(join(project, 'composer.json'), JSON.stringify({ repositories }));
  await composer('require', 'kefel/kefel');
  await writeFile(join(project, 'pay.php'), firstPayment(stage));
  await stage.expectPage(await stage.run('php', ['pay.php'], project));
  return [version.split('\n')[0]?.trim() ?? ''];
}

/** Maps each class to its file, as Composer does for `classmap`. */
function autoloader(): string {
  const { autoload } = JSON.parse(readFileSync(join(PACKAGE, 'composer.json'), 'utf8'));
  const entries = autoload.classmap.flatMap((file: string) => {
    const code = readFileSync(join(PACKAGE, file), 'utf8');
    const [, namespace = ''] = /^namespace (.*);$/m.exec(code) ?? [];
    return [...code.matchAll(CLASS)].map(
      ([, name]) => `'${namespace}\\\\${name}' => '${join(INSTALLED, file)}'`,
    );
  });
  return `<?php
$map = [${entries.join(', ')}];
spl_autoload_register(static function (string $class) use ($map): void {
    if (isset($map[$class])) {
        require $map[$class];
    }
});
`;
}
