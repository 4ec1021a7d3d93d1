import { readFile } from 'node:fs/promises';
import { SetupProblem } from '../deployment/explain.ts';
import type { RenderedWorker, RenderedWorkers } from '../deployment/render.ts';
import { writeWhole } from '../project/files.ts';
import type { Setup } from './context.ts';
import type { QueueRow } from './resources.ts';
import type { Step, Work } from './step.ts';

/** What leads to a Worker: addresses, schedules and, for the payments, queues. */
export function triggersStep(setup: Setup): Step {
  return {
    title: 'addresses, schedules and queues',
    why: 'An address leads to a Worker only after it runs, and replaces nothing of yours unasked.',
    look: async () => {
      const { payments, backOffice } = await setup.workers();
      const works: Work[] = [];
      const closings: Work[] = [];
      for (const worker of [payments, backOffice]) {
        const missing = [
          ...(await missingDomains(setup, worker)),
          ...(await missingRoutes(setup, worker)),
          ...(await missingSchedules(setup, worker)),
          ...(await missingConsumers(setup, worker)),
        ];
        if (missing.length > 0) {
          works.push({
            what: `let ${missing.join(', ')} lead to the Worker ${worker.config.name}`,
            make: async () => {
              const file = await keepingWorkersDev(setup, worker, worker.file);
              await setup.runWrangler(['triggers', 'deploy', '-c', file]);
            },
          });
        }
        if (await mustLeaveWorkersDev(setup, worker)) {
          closings.push(closing(setup, worker.config.name));
        }
      }
      return [...works, ...closings];
    },
  };
}

/** What a look at addresses needs of a command's run. */
export type AddressAccess = Pick<Setup, 'cloudflare' | 'path'> & {
  readonly options: { readonly name: string };
};

function otherAddress({ options }: AddressAccess): string {
  return `choose another address with \`npm run setup -- --env ${options.name} --url URL\``;
}

/** Refuses addresses that something else has. */
export async function checkAddresses(
  access: AddressAccess,
  workers: Partial<RenderedWorkers>,
): Promise<void> {
  for (const worker of Object.values(workers)) {
    await missingDomains(access, worker);
    await missingRoutes(access, worker);
  }
}

/** Whether the Worker still answers at workers.dev, although it has an address of its own. */
async function mustLeaveWorkersDev(setup: Setup, { config }: RenderedWorker): Promise<boolean> {
  if (config.workers_dev !== false) {
    return false;
  }
  const known = await setup.cloudflare.getIfPresent<{ readonly enabled: boolean }>(
    setup.path(`workers/scripts/${config.name}/subdomain`),
  );
  return known?.enabled === true;
}

/**
 * A configuration file for wrangler that leaves the address at workers.dev as it is. Wrangler would
 * close it before the new address works, and a failure in between would leave customers without any.
 */
export async function keepingWorkersDev(
  setup: Setup,
  worker: RenderedWorker,
  file: string,
): Promise<string> {
  if (!(await mustLeaveWorkersDev(setup, worker))) {
    return file;
  }
  const open = file.replace(/\.json$/, '-open.json');
  const config = JSON.parse(await readFile(file, 'utf8'));
  await writeWhole(open, `${JSON.stringify({ ...config, workers_dev: true }, null, 2)}\n`);
  return open;
}

function closing(setup: Setup, name: string): Work {
  return {
    what: `close the address of the Worker ${name} at workers.dev`,
    make: async () => {
      await setup.cloudflare.call({
        method: 'POST',
        path: setup.path(`workers/scripts/${name}/subdomain`),
        body: { enabled: false },
      });
    },
  };
}

export interface DomainRow {
  readonly hostname: string;
  readonly service: string;
}

async function missingDomains(access: AddressAccess, { config }: RenderedWorker) {
  const hostnames = (config.routes ?? []).flatMap(({ pattern, custom_domain: isDomain }) =>
    isDomain === true ? [pattern] : [],
  );
  if (hostnames.length === 0) {
    return [];
  }
  const domains = await access.cloudflare.listWhole<DomainRow>(access.path('workers/domains'));
  const missing: string[] = [];
  for (const hostname of hostnames) {
    const known = domains.find((domain) => domain.hostname === hostname);
    if (known !== undefined && known.service !== config.name) {
      throw new SetupProblem(
        `the Worker ${known.service} answers at ${hostname}`,
        `Remove ${hostname} from it in Cloudflare's dashboard, or ${otherAddress(access)}.`,
      );
    }
    if (known === undefined) {
      await checkDnsRecord(access, config.name, hostname);
      missing.push(hostname);
    }
  }
  return missing;
}

/** Wrangler would replace the record of something else, such as a shop that runs there. */
async function checkDnsRecord(
  access: AddressAccess,
  worker: string,
  hostname: string,
): Promise<void> {
  const { cloudflare } = access;
  // Cloudflare answers only for a Worker that exists. In a first run, the last look comes after its
  // upload.
  const script = access.path(`workers/scripts/${worker}`);
  if ((await cloudflare.getIfPresent(`${script}/secrets`)) === null) {
    return;
  }
  const { conflicting } = await cloudflare.call<{
    readonly conflicting: readonly { readonly hostname: string }[];
  }>({
    method: 'POST',
    path: `${script}/domains/changeset?replace_state=true`,
    body: [{ hostname }],
  });
  if (conflicting.length > 0) {
    throw new SetupProblem(
      `${hostname} has a DNS record of something else`,
      `Remove the record in Cloudflare's dashboard if nothing needs it any more, or ${otherAddress(access)}.`,
    );
  }
}

export interface RouteRow {
  readonly pattern: string;
  readonly script?: string;
}

async function missingRoutes(access: AddressAccess, { config }: RenderedWorker) {
  const { cloudflare } = access;
  const routes = (config.routes ?? []).filter(({ zone_name: zone }) => zone !== undefined);
  const [first] = routes;
  if (first?.zone_name === undefined) {
    return [];
  }
  const zones = await cloudflare.get<readonly { readonly id: string }[]>(
    `/zones?name=${first.zone_name}`,
  );
  const known = await cloudflare.listWhole<RouteRow>(`/zones/${zones[0]?.id}/workers/routes`);
  const missing: string[] = [];
  for (const { pattern } of routes) {
    const found = known.find((route) => route.pattern === pattern);
    if (found?.script !== undefined && found.script !== config.name) {
      throw new SetupProblem(
        `the Worker ${found.script} has the route ${pattern}`,
        `Remove the route in Cloudflare's dashboard, or ${otherAddress(access)}.`,
      );
    }
    if (found === undefined) {
      missing.push(pattern);
    }
  }
  return missing;
}

/** A Worker that a dry run would create has no schedules yet. */
async function missingSchedules(setup: Setup, { config }: RenderedWorker) {
  const known = await setup.cloudflare.getIfPresent<{
    readonly schedules: readonly { readonly cron: string }[];
  }>(setup.path(`workers/scripts/${config.name}/schedules`));
  const crons = known?.schedules.map(({ cron }) => cron) ?? [];
  return (config.triggers?.crons ?? [])
    .filter((cron) => !crons.includes(cron))
    .map((cron) => `the schedule ${cron}`);
}

async function missingConsumers(setup: Setup, { config }: RenderedWorker) {
  const own = config.queues?.consumers ?? [];
  if (own.length === 0) {
    return [];
  }
  const rows = await setup.cloudflare.list<QueueRow>(setup.path('queues'));
  return own
    .map(({ queue }) => queue)
    .filter((queue) => {
      const consumers = rows.find(({ queue_name }) => queue_name === queue)?.consumers ?? [];
      return consumers.length === 0;
    });
}
