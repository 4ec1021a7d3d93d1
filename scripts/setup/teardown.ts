import { rm } from 'node:fs/promises';
import { deploymentFile, requireDeployment } from '../deployment/deployment-file.ts';
import { explained, SetupProblem } from '../deployment/explain.ts';
import { PRODUCTION } from '../deployment/names.ts';
import { type RenderedWorker, resourcesOf } from '../deployment/render.ts';
import { type RunOptions, Setup, type Tools } from './context.ts';
import { databaseOf, jurisdictionHeaders, type QueueRow } from './resources.ts';
import { runSteps, type Step, type Work } from './step.ts';
import { quoted, type Terminal } from './terminal.ts';
import type { DomainRow, RouteRow } from './triggers.ts';

export interface TeardownOptions extends RunOptions {
  /** The account's name, which confirms without a question. */
  readonly accountName: string | undefined;
  /** The deployment's name once more, which confirms for production. */
  readonly deploymentName: string | undefined;
  readonly isWithBackups: boolean;
}

/** Deletes a deployment that was a trial. Returns false after a failure, which it has explained. */
export async function runTeardown(options: TeardownOptions, tools: Tools): Promise<boolean> {
  const { terminal } = tools;
  try {
    const deployment = await requireDeployment(options.name, options.directory);
    const setup = new Setup(options, tools, deployment);
    const { name } = deployment.account;
    terminal.say(
      `This deletes the deployment "${options.name}" and all its payments in the account ${name}.`,
    );
    if (!options.isDryRun) {
      await confirm(terminal, "the account's name", options.accountName, ['--account', name]);
      // All deployments of an account share its name.
      if (options.name === PRODUCTION) {
        await confirm(terminal, "the deployment's name", options.deploymentName, [
          '--deployment',
          PRODUCTION,
        ]);
      }
    }
    const { payments, backOffice } = await setup.workers();
    const steps = [
      addressesStep(setup),
      consumersStep(setup),
      // A Worker that another one is bound to cannot be deleted.
      workerStep(setup, backOffice),
      workerStep(setup, payments),
      queuesStep(setup),
      databasesStep(setup),
      bucketStep(setup, options.isWithBackups),
      filesStep(setup),
    ];
    if (!(await runSteps(steps, terminal, options))) {
      return false;
    }
    terminal.say(`\nThe recovery file stays: ${options.recoveryFile}.`);
    return true;
  } catch (error) {
    const { problem, remedy } = explained(error);
    terminal.say(`${problem}\n${remedy}`);
    return false;
  }
}

async function confirm(
  terminal: Terminal,
  what: string,
  given: string | undefined,
  [option, name]: readonly [option: string, name: string],
): Promise<void> {
  const asks = given === undefined && terminal.isInteractive;
  const typed = asks ? await terminal.ask(`To confirm, type ${what} > `) : given;
  if (typed !== name) {
    throw new SetupProblem(
      `${what} was not confirmed`,
      `Type it when asked, or give it with ${option} ${quoted(name)}.`,
    );
  }
}

function deletion(setup: Setup, what: string, path: string): Work {
  return {
    what: `delete ${what}`,
    make: async () => {
      await setup.cloudflare.call({ method: 'DELETE', path });
    },
  };
}

function addressesStep(setup: Setup): Step {
  return {
    title: 'addresses',
    why: 'No address leads to a Worker that is gone.',
    look: async () => {
      const { payments, backOffice } = await setup.workers();
      const names = [payments.config.name, backOffice.config.name];
      const { zones } = setup.deployment;
      if (zones === null) {
        return [];
      }
      const domains = await setup.cloudflare.listWhole<DomainRow & { readonly id: string }>(
        setup.path('workers/domains'),
      );
      const works = domains
        .filter(({ service }) => names.includes(service))
        .map(({ id, hostname }) => deletion(setup, hostname, setup.path(`workers/domains/${id}`)));
      for (const zone of new Set(Object.values(zones))) {
        const [found] = await setup.cloudflare.get<readonly { readonly id: string }[]>(
          `/zones?name=${zone}`,
        );
        const path = `/zones/${found?.id}/workers/routes`;
        const routes = await setup.cloudflare.listWhole<RouteRow & { readonly id: string }>(path);
        const own = routes.filter(({ script }) => names.includes(script ?? ''));
        works.push(
          ...own.map(({ id, pattern }) => deletion(setup, `the route ${pattern}`, `${path}/${id}`)),
        );
      }
      return works;
    },
  };
}

async function ownQueues(setup: Setup): Promise<readonly QueueRow[]> {
  const { queues } = resourcesOf(await setup.workers());
  const rows = await setup.cloudflare.list<QueueRow>(setup.path('queues'));
  return rows.filter(({ queue_name }) => queues.includes(queue_name));
}

function consumersStep(setup: Setup): Step {
  return {
    title: 'consumers of queues',
    why: 'Cloudflare deletes no Worker that consumes a queue.',
    look: async () =>
      (await ownQueues(setup)).flatMap(({ queue_id, queue_name, consumers = [] }) =>
        consumers.map(({ consumer_id }) =>
          deletion(
            setup,
            `the consumer of ${queue_name}`,
            setup.path(`queues/${queue_id}/consumers/${consumer_id}`),
          ),
        ),
      ),
  };
}

function workerStep(setup: Setup, { config: { name } }: RenderedWorker): Step {
  return {
    title: `the Worker ${name}`,
    why: "Its code and its secrets go, and with the payments' Worker all payments.",
    look: async () => {
      const path = setup.path(`workers/scripts/${name}`);
      return (await setup.cloudflare.getIfPresent(`${path}/secrets`)) === null
        ? []
        : [deletion(setup, `the Worker ${name}`, `${path}?force=true`)];
    },
  };
}

function queuesStep(setup: Setup): Step {
  return {
    title: 'queues',
    why: 'Messages that wait in them belong to payments that are gone.',
    look: async () =>
      (await ownQueues(setup)).map(({ queue_id, queue_name }) =>
        deletion(setup, `the queue ${queue_name}`, setup.path(`queues/${queue_id}`)),
      ),
  };
}

function databasesStep(setup: Setup): Step {
  return {
    title: 'databases',
    why: 'Merchants, members and settings go.',
    look: async () => {
      const { databases } = resourcesOf(await setup.workers());
      const rows = await Promise.all(databases.map((name) => databaseOf(setup, name)));
      return rows
        .filter((row) => row !== null)
        .map(({ uuid, name }) =>
          deletion(setup, `the database ${name}`, setup.path(`d1/database/${uuid}`)),
        );
    },
  };
}

interface StoredObject {
  readonly key: string;
}

function bucketStep(setup: Setup, isWithBackups: boolean): Step {
  return {
    title: 'bucket of backups',
    why: 'Backups stay unless you say --with-backups, because nothing brings them back.',
    look: async () => {
      const { bucket } = resourcesOf(await setup.workers());
      const headers = jurisdictionHeaders(setup);
      const path = setup.path(`r2/buckets/${bucket}`);
      if (bucket === null || (await setup.cloudflare.getIfPresent(path, headers)) === null) {
        return [];
      }
      const some = await setup.cloudflare.get<readonly StoredObject[]>(`${path}/objects`, headers);
      if (some.length > 0 && !isWithBackups) {
        setup.terminal.say(`  The bucket ${bucket} has backups, so it stays.`);
        return [];
      }
      const empty = {
        what: `delete all backups in the bucket ${bucket}`,
        make: () => emptyBucket(setup, path, headers),
      };
      const work = {
        what: `delete the bucket ${bucket}`,
        make: async () => {
          await setup.cloudflare.call({ method: 'DELETE', path, headers });
        },
      };
      return some.length > 0 ? [empty, work] : [work];
    },
  };
}

async function emptyBucket(
  { cloudflare }: Setup,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  for (;;) {
    const objects = await cloudflare.get<readonly StoredObject[]>(`${path}/objects`, headers);
    if (objects.length === 0) {
      return;
    }
    for (const { key } of objects) {
      const name = key.split('/').map(encodeURIComponent).join('/');
      await cloudflare.call({ method: 'DELETE', path: `${path}/objects/${name}`, headers });
    }
  }
}

/** A bucket that stays needs the list of its keys. */
function filesStep(setup: Setup): Step {
  const { name, directory, operatorsFile } = setup.options;
  return {
    title: 'files on this machine',
    why: 'The deployment file describes what is gone; it stays beside backups, which need its keys.',
    look: async () => {
      const { bucket } = resourcesOf(await setup.workers());
      const path = setup.path(`r2/buckets/${bucket}`);
      const headers = jurisdictionHeaders(setup);
      // A dry run deletes no bucket, so it finds one.
      const hasBucket =
        bucket !== null &&
        !setup.options.isDryRun &&
        (await setup.cloudflare.getIfPresent(path, headers)) !== null;
      const files = [...(hasBucket ? [] : [deploymentFile(name, directory)]), operatorsFile];
      return files.map((file) => ({
        what: `delete ${file}`,
        make: () => rm(file, { force: true }),
      }));
    },
  };
}
