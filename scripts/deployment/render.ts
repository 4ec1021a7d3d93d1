import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import {
  BACK_OFFICE_CONFIG_FILE,
  PROJECT_DIRECTORY,
  WRANGLER_CONFIG_FILE,
  writeWhole,
} from '../project/files.ts';
import { emailBinding, readWorkerConfig, type WorkerConfig } from '../project/worker-config.ts';
import { DEPLOYMENTS_DIRECTORY, type Deployment, DeploymentFileError } from './deployment-file.ts';
import type { Plane } from './keys.ts';
import { nameIn, namespaceIn } from './names.ts';

/** Git-ignored. */
const RENDERED_DIRECTORY = join(PROJECT_DIRECTORY, '.wrangler', 'deployments');

const SOURCES: Readonly<Record<Plane, string>> = {
  payments: WRANGLER_CONFIG_FILE,
  backOffice: BACK_OFFICE_CONFIG_FILE,
};

/** One Worker's configuration in a deployment, and the files that wrangler reads it from. */
export interface RenderedWorker {
  readonly config: WorkerConfig;
  readonly file: string;
  /**
   * Without routes and domains. `wrangler deploy` replaces DNS records of something else unasked, so
   * setup looks before it lets an address lead to the Worker.
   */
  readonly uploadFile: string;
}

export type RenderedWorkers = Readonly<Record<Plane, RenderedWorker>>;

/** Paths of a shared host that the back office answers; more specific than the payments'. */
export const BACK_OFFICE_PATHS = ['/', '/dashboard*', '/operator*', '/docs*', '/llms*'];

/**
 * Where the configurations of a deployment are. Another folder of deployment files may have one of the
 * same name.
 */
export function renderedDirectory(name: string, deployments: string): string {
  const folder = resolve(deployments);
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 8);
  const own = folder === DEPLOYMENTS_DIRECTORY ? name : `${name}-${digest}`;
  return join(RENDERED_DIRECTORY, own);
}

/** Renders both configurations from the two wrangler.toml and the deployment, and writes them. */
export async function writeWorkerConfigs(
  name: string,
  deployment: Deployment,
  deployments = DEPLOYMENTS_DIRECTORY,
): Promise<RenderedWorkers> {
  const configs = await renderWorkers(name, deployment);
  const write = async (plane: Plane): Promise<RenderedWorker> => {
    const config = configs[plane];
    const directory = join(renderedDirectory(name, deployments), plane);
    const { routes: _routes, ...upload } = config;
    const file = await writeJson(join(directory, 'wrangler.json'), config);
    const uploadFile = await writeJson(join(directory, 'upload.json'), upload);
    return { config, file, uploadFile };
  };
  return { payments: await write('payments'), backOffice: await write('backOffice') };
}

async function writeJson(file: string, value: unknown): Promise<string> {
  await writeWhole(file, `${JSON.stringify(value, null, 2)}\n`);
  return file;
}

/** The Workers' names in a deployment. */
export async function workerNames(name: string): Promise<Readonly<Record<Plane, string>>> {
  const payments = await readWorkerConfig(SOURCES.payments);
  const backOffice = await readWorkerConfig(SOURCES.backOffice);
  return { payments: nameIn(name, payments.name), backOffice: nameIn(name, backOffice.name) };
}

export async function renderWorkers(
  name: string,
  deployment: Deployment,
): Promise<Readonly<Record<Plane, WorkerConfig>>> {
  const [payments, backOffice] = await Promise.all([
    readWorkerConfig(SOURCES.payments),
    readWorkerConfig(SOURCES.backOffice),
  ]);
  const paymentsVariables = variablesOf('payments', payments, deployment);
  return {
    payments: {
      ...named(name, payments, deployment),
      vars: paymentsVariables,
      ...emailBinding(paymentsVariables),
      ...networkBindings(deployment),
      ...routesOf('payments', deployment),
    },
    backOffice: {
      ...named(name, backOffice, deployment),
      vars: variablesOf('backOffice', backOffice, deployment),
      ...routesOf('backOffice', deployment),
    },
  };
}

/** The configuration with the names that its Worker, databases and queues have in the deployment. */
function named(name: string, config: WorkerConfig, deployment: Deployment): WorkerConfig {
  const own = (plain: string) => nameIn(name, plain);
  const { build, d1_databases, r2_buckets, queues, ratelimits, services, ...rest } = config;
  return {
    ...rest,
    name: own(config.name),
    account_id: deployment.account.id,
    // A build command's paths are the project's.
    ...(build && { build: { ...build, cwd: PROJECT_DIRECTORY } }),
    ...(d1_databases && {
      d1_databases: d1_databases.map((database) => ({
        ...database,
        database_name: own(database.database_name),
      })),
    }),
    ...(r2_buckets &&
      deployment.hasBackups && {
        r2_buckets: r2_buckets.map((bucket) => ({
          ...bucket,
          bucket_name: own(bucket.bucket_name),
          ...(deployment.jurisdiction !== '' && { jurisdiction: deployment.jurisdiction }),
        })),
      }),
    ...(queues && {
      queues: {
        producers: queues.producers.map((one) => ({ ...one, queue: own(one.queue) })),
        consumers: queues.consumers.map(({ dead_letter_queue: dead, ...one }) => ({
          ...one,
          queue: own(one.queue),
          ...(dead !== undefined && { dead_letter_queue: own(dead) }),
        })),
      },
    }),
    ...(ratelimits && {
      ratelimits: ratelimits.map((limit) => ({
        ...limit,
        namespace_id: namespaceIn(name, limit.namespace_id),
      })),
    }),
    ...(services && {
      services: services.map((service) => ({ ...service, service: own(service.service) })),
    }),
  };
}

/** The bindings that lead into providers' private networks. */
function networkBindings({ vpcServices }: Deployment): Pick<WorkerConfig, 'vpc_services'> {
  return vpcServices === undefined
    ? {}
    : {
        vpc_services: Object.entries(vpcServices).map(([binding, service_id]) => ({
          binding,
          service_id,
        })),
      };
}

function variablesOf(
  plane: Plane,
  { vars = {} }: WorkerConfig,
  deployment: Deployment,
): Readonly<Record<string, string>> {
  const given = deployment.variables[plane];
  const { payments, backOffice } = deployment.addresses;
  const isOneHost = payments === backOffice;
  const derived =
    plane === 'payments'
      ? {
          PUBLIC_BASE_URL: payments,
          BACK_OFFICE_BASE_URL: isOneHost ? '' : backOffice,
          OBJECT_JURISDICTION: deployment.jurisdiction,
          OBJECT_LOCATION_HINT: deployment.locationHint,
        }
      : { PUBLIC_BASE_URL: backOffice, PAYMENTS_BASE_URL: isOneHost ? '' : payments };
  const unknown = Object.keys(given).filter(
    (name) => !Object.hasOwn(vars, name) || Object.hasOwn(derived, name),
  );
  if (unknown.length > 0) {
    throw new DeploymentFileError(
      `variables.${plane} cannot set ${unknown.join(', ')}: wrangler.toml does not have it, or setup sets it itself`,
    );
  }
  return { ...vars, ...derived, ...given };
}

/**
 * How requests reach the Worker. A custom domain makes its own DNS record and certificate; the more
 * specific routes of a shared host run before it
 * (https://developers.cloudflare.com/workers/configuration/routing/custom-domains/).
 */
function routesOf(plane: Plane, { addresses, zones }: Deployment): Partial<WorkerConfig> {
  if (zones === null) {
    return { workers_dev: true };
  }
  const { host } = new URL(addresses[plane]);
  const isBehind = plane === 'backOffice' && addresses.payments === addresses.backOffice;
  return {
    workers_dev: false,
    routes: isBehind
      ? BACK_OFFICE_PATHS.map((path) => ({ pattern: `${host}${path}`, zone_name: zones[plane] }))
      : [{ pattern: host, custom_domain: true }],
  };
}

/** The longest life of a link by any value that the variable has had, in seconds. */
export function longestExpiry(
  { expireInSecondsMax }: Deployment,
  { payments }: Pick<RenderedWorkers, 'payments'>,
): number {
  return Math.max(expireInSecondsMax, Number(payments.config.vars?.EXPIRE_IN_SECONDS_MAX) || 0);
}

/** The names of all that a deployment has in the account. */
interface ResourceNames {
  readonly databases: readonly string[];
  readonly queues: readonly string[];
  readonly bucket: string | null;
}

export function resourcesOf({ payments, backOffice }: RenderedWorkers): ResourceNames {
  const both = [payments.config, backOffice.config];
  return {
    databases: both.flatMap(({ d1_databases = [] }) => d1_databases.map((it) => it.database_name)),
    queues: both.flatMap(({ queues }) => queues?.consumers.map((it) => it.queue) ?? []),
    bucket: payments.config.r2_buckets?.[0]?.bucket_name ?? null,
  };
}
