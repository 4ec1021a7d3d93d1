import { SetupProblem } from '../deployment/explain.ts';
import { resourcesOf } from '../deployment/render.ts';
import type { AccountAccess, Setup } from './context.ts';
import type { Step, Work } from './step.ts';

/** Where D1 and R2 can be placed. An object's hint for another region gives them none. */
const LOCATIONS = ['apac', 'eeur', 'enam', 'oc', 'weur', 'wnam'];

interface DatabaseRow {
  readonly uuid: string;
  readonly name: string;
}

export async function databaseOf(setup: AccountAccess, name: string): Promise<DatabaseRow | null> {
  const rows = await setup.cloudflare.list<DatabaseRow>(setup.path(`d1/database?name=${name}`));
  return rows.find((row) => row.name === name) ?? null;
}

export function databasesStep(setup: Setup): Step {
  return {
    title: 'databases',
    why: 'D1 holds merchants, members and settings; payments are in objects of their own.',
    look: async () => {
      const { databases } = resourcesOf(await setup.workers());
      const found = await Promise.all(databases.map((name) => databaseOf(setup, name)));
      return databases.flatMap((name, index) =>
        found[index] === null ? [createDatabase(setup, name)] : [],
      );
    },
  };
}

function createDatabase(setup: Setup, name: string): Work {
  const { jurisdiction, locationHint } = setup.deployment;
  return {
    what: `create the database ${name}`,
    make: async () => {
      await setup.cloudflare.call({
        method: 'POST',
        path: setup.path('d1/database'),
        body: {
          name,
          // Cloudflare takes one or the other.
          ...(jurisdiction !== ''
            ? { jurisdiction }
            : LOCATIONS.includes(locationHint) && { primary_location_hint: locationHint }),
        },
      });
    },
  };
}

/** Cloudflare's longest. Its own choice, 4 days, is shorter than all retries of a dead letter. */
const MESSAGES_KEPT_SECONDS = 14 * 24 * 60 * 60;

export interface QueueRow {
  readonly queue_id: string;
  readonly queue_name: string;
  readonly jurisdiction?: string | null;
  readonly settings?: { readonly message_retention_period?: number };
  readonly consumers?: readonly {
    readonly consumer_id: string;
    readonly script?: string;
    readonly service?: string;
  }[];
}

export function queuesStep(setup: Setup): Step {
  return {
    title: 'queues',
    why: 'Webhooks and calls to providers wait in queues, and failed messages in one for each.',
    look: async () => {
      const { queues } = resourcesOf(await setup.workers());
      const known = await checkConsumers(setup);
      const names = known.map(({ queue_name }) => queue_name);
      sayOutside(setup, known);
      return [
        ...queues.filter((name) => !names.includes(name)).map((name) => createQueue(setup, name)),
        ...known
          .filter(({ settings }) => {
            const seconds = settings?.message_retention_period;
            return seconds !== undefined && seconds < MESSAGES_KEPT_SECONDS;
          })
          .map((queue) => keepMessages(setup, queue)),
      ];
    },
  };
}

const QUEUE_SETTINGS = { message_retention_period: MESSAGES_KEPT_SECONDS };

function createQueue(setup: Setup, queue_name: string): Work {
  const { jurisdiction } = setup.deployment;
  return {
    what: `create the queue ${queue_name}`,
    make: async () => {
      const place = jurisdiction === '' ? {} : { jurisdiction };
      await setup.cloudflare.call({
        method: 'POST',
        path: setup.path('queues'),
        body: { queue_name, settings: QUEUE_SETTINGS, ...place },
      });
    },
  };
}

function keepMessages(setup: Setup, { queue_id, queue_name }: QueueRow): Work {
  return {
    what: `let the queue ${queue_name} keep messages for 14 days`,
    make: async () => {
      await setup.cloudflare.call({
        method: 'PATCH',
        path: setup.path(`queues/${queue_id}`),
        body: { settings: QUEUE_SETTINGS },
      });
    },
  };
}

/** A queue never moves, and deleting one loses its messages: a person decides. */
function sayOutside({ deployment, terminal }: Setup, known: readonly QueueRow[]): void {
  const { jurisdiction } = deployment;
  const outside = known.filter((queue) => (queue.jurisdiction ?? '') !== jurisdiction);
  if (jurisdiction !== '' && outside.length > 0) {
    const names = outside.map(({ queue_name }) => queue_name).join(', ');
    terminal.say(
      `  NOT IN ${jurisdiction}: ${names}. In maintenance, when they are empty, delete them in Cloudflare's dashboard, and run this again.`,
    );
  }
}

/** The deployment's queues that exist. Throws for one whose messages another Worker takes. */
export async function checkConsumers(setup: Setup): Promise<readonly QueueRow[]> {
  const workers = await setup.workers();
  const { queues } = resourcesOf(workers);
  const rows = await setup.cloudflare.list<QueueRow>(setup.path('queues'));
  const own = rows.filter(({ queue_name }) => queues.includes(queue_name));
  const taken = own.filter(({ consumers = [] }) =>
    consumers.some(({ script, service }) => (script ?? service) !== workers.payments.config.name),
  );
  if (taken.length > 0) {
    throw new SetupProblem(
      `another Worker consumes ${taken.map(({ queue_name }) => queue_name).join(', ')}`,
      'Remove that consumer, or set up under another name: --env trial.',
    );
  }
  return own;
}

/** Whether a bucket of this name is there with anything in it. */
export async function hasBackups(setup: Setup, bucket: string): Promise<boolean> {
  const path = setup.path(`r2/buckets/${bucket}`);
  const headers = jurisdictionHeaders(setup);
  if ((await setup.cloudflare.getIfPresent(path, headers)) === null) {
    return false;
  }
  return (await setup.cloudflare.get<readonly unknown[]>(`${path}/objects`, headers)).length > 0;
}

/** Names the place in which R2 looks for the bucket. */
export function jurisdictionHeaders({ deployment }: Setup): Readonly<Record<string, string>> {
  const { jurisdiction } = deployment;
  return jurisdiction === '' ? {} : { 'cf-r2-jurisdiction': jurisdiction };
}

export function bucketStep(setup: Setup): Step {
  return {
    title: 'bucket for backups',
    why: 'The daily backup is encrypted before it is written to R2.',
    look: async () => {
      const { bucket } = resourcesOf(await setup.workers());
      if (bucket === null) {
        setup.terminal.say('  Without backups: a lost account or namespace loses all payments.');
        return [];
      }
      const { jurisdiction, locationHint } = setup.deployment;
      const headers = jurisdictionHeaders(setup);
      const path = setup.path(`r2/buckets/${bucket}`);
      if ((await setup.cloudflare.getIfPresent(path, headers)) !== null) {
        return [];
      }
      return [
        {
          what: `create the bucket ${bucket}`,
          make: async () => {
            await setup.cloudflare.call({
              method: 'POST',
              path: setup.path('r2/buckets'),
              headers,
              body: {
                name: bucket,
                ...(jurisdiction === '' && LOCATIONS.includes(locationHint) && { locationHint }),
              },
            });
          },
        },
      ];
    },
  };
}
