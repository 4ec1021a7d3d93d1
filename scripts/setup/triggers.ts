import type { RenderedWorker } from '../deployment/render.ts';
import type { Setup } from './context.ts';
import { SetupProblem } from './explain.ts';
import type { QueueRow } from './resources.ts';
import type { Step } from './step.ts';

/** What leads to a Worker: addresses, schedules and, for the payments, queues. */
export function triggersStep(setup: Setup): Step {
  return {
    title: 'addresses, schedules and queues',
    why: 'An address leads to a Worker only after it runs, and replaces nothing of yours unasked.',
    look: async () => {
      const { payments, backOffice } = await setup.workers();
      const works = [];
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
              await setup.runWrangler(['triggers', 'deploy', '-c', worker.file]);
            },
          });
        }
      }
      return works;
    },
  };
}

export interface DomainRow {
  readonly hostname: string;
  readonly service: string;
}

async function missingDomains(setup: Setup, { config }: RenderedWorker) {
  const hostnames = (config.routes ?? []).flatMap(({ pattern, custom_domain: isDomain }) =>
    isDomain === true ? [pattern] : [],
  );
  if (hostnames.length === 0) {
    return [];
  }
  const domains = await setup.cloudflare.get<readonly DomainRow[]>(setup.path('workers/domains'));
  const missing: string[] = [];
  for (const hostname of hostnames) {
    const known = domains.find((domain) => domain.hostname === hostname);
    if (known !== undefined && known.service !== config.name) {
      throw new SetupProblem(
        `the Worker ${known.service} answers at ${hostname}`,
        `Remove ${hostname} from it in Cloudflare's dashboard, or choose another address with --url.`,
      );
    }
    if (known === undefined) {
      await checkDnsRecord(setup, config.name, hostname);
      missing.push(hostname);
    }
  }
  return missing;
}

/** Wrangler would replace the record of something else, such as a shop that runs there. */
async function checkDnsRecord(setup: Setup, worker: string, hostname: string): Promise<void> {
  const { options, terminal } = setup;
  // The Worker may not exist yet.
  if (options.isDryRun || options.replaceDns.includes(hostname)) {
    return;
  }
  const { conflicting } = await setup.cloudflare.call<{
    readonly conflicting: readonly { readonly hostname: string }[];
  }>({
    method: 'POST',
    path: setup.path(`workers/scripts/${worker}/domains/changeset?replace_state=true`),
    body: [{ hostname }],
  });
  if (conflicting.length === 0) {
    return;
  }
  const question = `  ${hostname} has a DNS record of something else, which would stop working.\n  To replace it, type the host name > `;
  if (terminal.isInteractive && (await terminal.ask(question)) === hostname) {
    return;
  }
  throw new SetupProblem(
    `${hostname} has a DNS record of something else`,
    `Choose another address with --url, or allow this one to be replaced with --replace-dns ${hostname}.`,
  );
}

export interface RouteRow {
  readonly pattern: string;
  readonly script?: string;
}

async function missingRoutes(setup: Setup, { config }: RenderedWorker) {
  const routes = (config.routes ?? []).filter(({ zone_name: zone }) => zone !== undefined);
  const [first] = routes;
  if (first?.zone_name === undefined) {
    return [];
  }
  const { cloudflare } = setup;
  const zones = await cloudflare.get<readonly { readonly id: string }[]>(
    `/zones?name=${first.zone_name}`,
  );
  const known = await cloudflare.get<readonly RouteRow[]>(`/zones/${zones[0]?.id}/workers/routes`);
  const missing: string[] = [];
  for (const { pattern } of routes) {
    const found = known.find((route) => route.pattern === pattern);
    if (found?.script !== undefined && found.script !== config.name) {
      throw new SetupProblem(
        `the Worker ${found.script} has the route ${pattern}`,
        "Remove the route in Cloudflare's dashboard, or choose another address with --url.",
      );
    }
    if (found === undefined) {
      missing.push(pattern);
    }
  }
  return missing;
}

/** No schedules are known of a Worker that a dry run would create. */
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
