import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  BACK_OFFICE_CONFIG_FILE,
  PROJECT_DIRECTORY,
  WRANGLER_CONFIG_FILE,
} from '../project/files.ts';
import { isOptionalSecret, type Secrets } from '../project/secrets.ts';
import { emailBinding, readWorkerConfig, type WorkerConfig } from '../project/worker-config.ts';

interface WorkersOptions {
  /** Git-ignored, or outside the project: it gets secrets. */
  readonly directory: string;
  readonly secrets: Secrets;
  /** In place of those in a wrangler.toml, such as `RATE_LIMITS:off`. */
  readonly variables: readonly string[];
  /** The payments' wrangler.toml; the project's by default. */
  readonly paymentsConfigFile?: string | undefined;
  readonly hasBackOffice: boolean;
}

/** Development only: leads each request to its plane. The first configuration gets the port. */
const FRONT = join(PROJECT_DIRECTORY, 'scripts', 'dev', 'front', 'wrangler.toml');

/**
 * Writes the configurations with which one `wrangler dev` runs the planes behind the front. wrangler
 * passes `--var` to the first Worker alone, and reads the secrets beside each configuration.
 */
export async function writeWorkers(options: WorkersOptions): Promise<readonly string[]> {
  const { paymentsConfigFile = WRANGLER_CONFIG_FILE } = options;
  const sources = options.hasBackOffice
    ? [FRONT, paymentsConfigFile, BACK_OFFICE_CONFIG_FILE]
    : [paymentsConfigFile];
  const configs = await Promise.all(sources.map(localConfig));
  const given = new Map(options.variables.map(named));
  return Promise.all(
    configs.map(async (config) => {
      const own = Object.keys(config.vars ?? {});
      // Wrangler knows the optional secrets by no list; only the payments plane has them.
      const isPayments = config.durable_objects !== undefined;
      const taken = [...given].filter(
        ([name]) => own.includes(name) || (isPayments && isOptionalSecret(name)),
      );
      const directory = join(options.directory, config.name);
      await mkdir(directory, { recursive: true });
      const file = join(directory, 'wrangler.json');
      const vars = { ...config.vars, ...Object.fromEntries(taken) };
      const written = { ...config, vars, ...(isPayments && emailBinding(vars)) };
      await writeFile(file, JSON.stringify(written, null, 2));
      await writeFile(join(directory, '.dev.vars'), secretsOf(config, options.secrets));
      return file;
    }),
  );
}

/** Without the build step, whose work is done, and the daily runs, which nothing makes locally. */
async function localConfig(file: string): Promise<WorkerConfig> {
  const { build: _build, triggers: _triggers, ...config } = await readWorkerConfig(file);
  return config as WorkerConfig;
}

function secretsOf({ secrets }: WorkerConfig, values: Secrets): string {
  const given: Readonly<Record<string, string>> = values;
  return (secrets?.required ?? []).map((name) => `${name}="${given[name] ?? ''}"\n`).join('');
}

function named(variable: string): readonly [name: string, value: string] {
  const colon = variable.indexOf(':');
  return [variable.slice(0, colon), variable.slice(colon + 1)];
}
