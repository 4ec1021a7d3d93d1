import { createRequire } from 'node:module';
import { cpus, loadavg } from 'node:os';

/** The load of the machine when this process started. */
const [loadBefore = Number.NaN] = loadavg();

/** What a reader needs to know to compare figures. */
export function machineLine(args: readonly string[]): string {
  const { version }: { version: string } = createRequire(import.meta.url)('workerd/package.json');
  const processors = cpus();
  const today = new Date().toISOString().slice(0, 10);
  const command = ['npm run bench', ...(args.length > 0 ? ['--'] : []), ...args].join(' ');
  return (
    `Measured on ${today} by \`${command}\`: ${processors.length} cores of` +
    ` ${processors[0]?.model ?? 'an unknown processor'}, workerd ${version},` +
    ` Node ${process.versions.node}; load average before the run ${loadBefore.toFixed(1)}.`
  );
}
