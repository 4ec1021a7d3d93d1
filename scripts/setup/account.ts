import { type Cloudflare, CloudflareError } from '../deployment/cloudflare.ts';
import type { Deployment } from '../deployment/deployment-file.ts';
import {
  missingPermissions,
  permissionFor,
  R2_NOT_ENABLED,
  SetupProblem,
} from '../deployment/explain.ts';
import { resourcesOf, workerNames } from '../deployment/render.ts';
import type { Wanted } from './answers.ts';
import type { Setup } from './context.ts';
import { checkConsumers, hasBackups } from './resources.ts';
import type { Step, Work } from './step.ts';
import { checkAddresses } from './triggers.ts';
import { checkDeployment } from './values.ts';

type Account = Deployment['account'];

/** Looks at the account before anything changes, and plans the deployment. */
export function accountStep(setup: Setup, wanted: Wanted): Step {
  return {
    title: 'account, permissions and address',
    why: 'Nothing is created before the account, its token and its names are known to be right.',
    look: async () => {
      const account = await accountOf(setup);
      await checkPermissions(setup, account, wanted);
      setup.terminal.say(`  Account: ${account.name} (${account.id}).`);
      const { subdomain, isRegistered } = await workersDevOf(setup, account, wanted);
      const zones = wanted.addresses && {
        payments: await zoneOf(setup, wanted.addresses.payments),
        backOffice: await zoneOf(setup, wanted.addresses.backOffice),
      };
      const names = await workerNames(setup.options.name);
      const addresses = wanted.addresses ?? {
        payments: `https://${names.payments}.${subdomain}.workers.dev`,
        backOffice: `https://${names.backOffice}.${subdomain}.workers.dev`,
      };
      if (setup.isStored) {
        setup.plan({ ...setup.deployment, addresses, zones, hasBackups: wanted.hasBackups });
      } else {
        setup.plan({ ...unmade(wanted), account, addresses, zones });
        await checkNames(setup, account);
      }
      await checkDeployment(setup, setup.deployment);
      // Before the new address is stored, and long before a Worker takes it for its own.
      await checkAddresses(setup, await setup.workers());
      if (!setup.isStored) {
        await confirm(setup, account);
      }
      return isRegistered ? [] : [registration(setup, account, subdomain)];
    },
  };
}

/** A deployment without anything at Cloudflare yet. */
function unmade(wanted: Wanted): Omit<Deployment, 'account' | 'addresses' | 'zones'> {
  return {
    recoveryKey: '0'.repeat(16),
    jurisdiction: wanted.jurisdiction,
    locationHint: wanted.locationHint,
    hasBackups: wanted.hasBackups,
    variables: { payments: {}, backOffice: {} },
    keys: {
      LINK_SIGNING_KEYS: [],
      DATA_ENCRYPTION_KEYS: [],
      BACKUP_KEYS: [],
      BACK_OFFICE_KEYS: [],
      WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX: [],
      WEBHOOK_RSA_PRIVATE_KEYS_PRODUCTION: [],
    },
    operators: [],
    uploaded: {},
    uploadedAt: {},
    expireInSecondsMax: 0,
    released: { payments: [], backOffice: [] },
  };
}

async function accountOf(setup: Setup): Promise<Account> {
  const { options, cloudflare, terminal } = setup;
  const all = await cloudflare.list<Account>('/accounts');
  const wanted = setup.isStored ? setup.deployment.account.id : options.account;
  const found = wanted === undefined ? all : all.filter(({ id }) => id === wanted);
  const listOf = (accounts: readonly Account[]) =>
    accounts.map(({ id, name }) => `  ${id}  ${name}`).join('\n');
  const [first] = found;
  if (setup.isStored && options.account !== undefined && options.account !== wanted) {
    throw new SetupProblem(
      `the deployment file says that "${options.name}" is in the account ${setup.deployment.account.name} (${wanted}), and not in ${options.account}`,
      'Leave out --account and CLOUDFLARE_ACCOUNT_ID, or name another deployment with --env.',
    );
  }
  if (first === undefined) {
    throw new SetupProblem(
      `the login reaches ${wanted === undefined ? 'no account' : `no account ${wanted}`}`,
      all.length === 0
        ? 'Log in with `npx wrangler login` as a member of the account.'
        : `It reaches these; name one with --account or CLOUDFLARE_ACCOUNT_ID, or log in as a member of the other with \`npx wrangler login\`:\n${listOf(all)}`,
    );
  }
  if (found.length === 1) {
    return { id: first.id, name: first.name };
  }
  const id =
    terminal.isInteractive && !options.isYes
      ? await terminal.ask(`  Which account?\n${listOf(found)}\n  Its id > `)
      : '';
  const chosen = found.find((account) => account.id === id);
  if (chosen === undefined) {
    throw new SetupProblem(
      `the login reaches several accounts:\n${listOf(found)}`,
      'Choose one with --account ID.',
    );
  }
  return { id: chosen.id, name: chosen.name };
}

/** The first thing that setup creates may be in the wrong account. */
async function confirm({ options, terminal }: Setup, { name }: Account): Promise<void> {
  if (!terminal.isInteractive || options.isYes || options.isDryRun) {
    return;
  }
  const answer = await terminal.ask(`  Set the gateway up in the account ${name}? (yes) > `);
  if (!/^(?:y|yes)?$/i.test(answer)) {
    throw new SetupProblem('it was not confirmed', 'Nothing was created.');
  }
}

/** Finds all that the token lacks at once, so that its owner changes it once. */
async function checkPermissions(
  { cloudflare }: Setup,
  { id }: Account,
  { hasBackups, addresses }: Wanted,
): Promise<void> {
  const needed = [
    ...['workers/scripts', 'd1/database', 'queues'].map((below) => `/accounts/${id}/${below}`),
    ...(hasBackups ? [`/accounts/${id}/r2/buckets`] : []),
    ...(addresses === null ? [] : ['/zones']),
  ];
  const missing: string[] = [];
  for (const path of needed) {
    try {
      await cloudflare.get(path);
    } catch (error) {
      const isForbidden =
        error instanceof CloudflareError && error.status === 403 && error.code !== R2_NOT_ENABLED;
      if (!isForbidden) {
        throw error;
      }
      missing.push(permissionFor(path));
    }
  }
  if (missing.length > 0) {
    throw missingPermissions(missing);
  }
}

interface WorkersDev {
  readonly subdomain: string;
  readonly isRegistered: boolean;
}

/** The account's subdomain of workers.dev; without one, a name to register. */
async function workersDevOf(
  { cloudflare }: Setup,
  { id }: Account,
  { addresses }: Wanted,
): Promise<WorkersDev> {
  if (addresses !== null) {
    return { subdomain: '', isRegistered: true };
  }
  const known = await cloudflare.getIfPresent<{ readonly subdomain: string }>(
    `/accounts/${id}/workers/subdomain`,
  );
  return known === null
    ? { subdomain: `kefel-${id.slice(0, 8)}`, isRegistered: false }
    : { subdomain: known.subdomain, isRegistered: true };
}

function registration({ cloudflare }: Setup, { id }: Account, subdomain: string): Work {
  return {
    what: `register ${subdomain}.workers.dev for the account, which has no address there yet`,
    make: async () => {
      await cloudflare.call({
        method: 'PUT',
        path: `/accounts/${id}/workers/subdomain`,
        body: { subdomain },
      });
    },
  };
}

/** The name of the zone that an address belongs to. */
async function zoneOf({ cloudflare }: Setup, address: string): Promise<string> {
  const { hostname } = new URL(address);
  const labels = hostname.split('.');
  // A zone has two labels or more, and the longest one decides.
  for (let start = 0; start < labels.length - 1; start += 1) {
    const name = labels.slice(start).join('.');
    const [zone] = await cloudflare.get<readonly { readonly name: string }[]>(
      `/zones?name=${name}`,
    );
    if (zone !== undefined) {
      return zone.name;
    }
  }
  throw new SetupProblem(
    `no domain of the account serves ${hostname}`,
    `Add the domain to Cloudflare first: https://dash.cloudflare.com/?to=/:account/add-site. Or leave --url out, and begin at workers.dev.`,
  );
}

/** Refuses names that something else has: nothing of an earlier gateway may be written over. */
async function checkNames(setup: Setup, { id }: Account): Promise<void> {
  const { cloudflare, options } = setup;
  const names = Object.values(await workerNames(options.name));
  const scripts = await cloudflare.listWhole<{ readonly id: string }>(
    `/accounts/${id}/workers/scripts`,
  );
  const workers = scripts.filter((script) => names.includes(script.id));
  const databases = await Promise.all(
    names.map((name) => cloudflare.list<DatabaseRow>(`/accounts/${id}/d1/database?name=${name}`)),
  );
  const used: string[] = [];
  for (const { uuid, name } of databases.flat().filter((row) => names.includes(row.name))) {
    if (await hasTables(cloudflare, id, uuid)) {
      used.push(`the database ${name}, which has tables`);
    }
  }
  const resources = resourcesOf(await setup.workers());
  await checkConsumers(setup);
  if (resources.bucket !== null && (await hasBackups(setup, resources.bucket))) {
    used.push(`the bucket ${resources.bucket}, which has backups`);
  }
  const taken = [...workers.map((worker) => `the Worker ${worker.id}`), ...used];
  if (taken.length > 0) {
    throw new SetupProblem(
      `the account has ${taken.join(' and ')}, and no deployment file here says that setup made it`,
      `If it is an earlier gateway, put its deployment file at ${options.directory}/${options.name}.json and its recovery file at ${options.recoveryFile}. Otherwise set up under another name: --env trial.`,
    );
  }
}

interface DatabaseRow {
  readonly uuid: string;
  readonly name: string;
}

async function hasTables(cloudflare: Cloudflare, account: string, uuid: string): Promise<boolean> {
  const [answer] = await cloudflare.call<readonly { readonly results: readonly unknown[] }[]>({
    method: 'POST',
    path: `/accounts/${account}/d1/database/${uuid}/query`,
    // D1 and SQLite have tables of their own.
    body: {
      sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' LIMIT 1",
    },
  });
  return (answer?.results.length ?? 0) > 0;
}
