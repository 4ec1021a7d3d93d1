import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { localSecrets } from '../../scripts/dev/local-secrets.ts';
import { HttpClient } from '../../scripts/gateway/http.ts';
import { backUpNow, fetchBackup, verifyBackup } from '../../scripts/operator/backup.ts';
import { runCheck } from '../../scripts/operator/check.ts';
import { GatewayError, send } from '../../scripts/operator/client.ts';
import {
  FoundError,
  Given,
  type Gateway as OperatorGateway,
} from '../../scripts/operator/command.ts';
import { restoreGateway } from '../../scripts/operator/restore-gateway.ts';
import type { RestoreStep } from '../../scripts/operator/restore-lines.ts';
import type { StandInOrder } from '../../scripts/stand-ins/stand-in.ts';
import type { RestoreProof } from '../../src/control/rpc/operator.ts';
import { keyRing } from '../../src/engine/config.ts';
import type { Environment } from '../../src/kit/tenant.ts';
import type { Manifest } from '../../src/recovery/backup/manifest.ts';
import { manifestName } from '../../src/recovery/backup/names.ts';
import { openPart } from '../../src/recovery/backup/part.ts';
import { Caller } from '../chaos/caller.ts';
import { Journey } from '../chaos/journey.ts';
import { MerchantServer } from '../chaos/merchant-server.ts';
import { Observations } from '../chaos/observations.ts';
import type { Scene } from '../chaos/scene.ts';
import { operate, operatorSecret } from '../harness/operator.ts';
import { Random } from '../harness/random.ts';
import { until } from '../harness/until.ts';
import { forEachOf } from '../harness/workers.ts';
import { differencesOf } from './compare.ts';
import { lastOf, underKills } from './kills.ts';
import {
  listOf,
  observeLists,
  observePayments,
  observeRows,
  undelivered,
  unlistedEnds,
} from './observe.ts';
import {
  announceLate,
  type LateOrders,
  leaveAtProviders,
  linksOf,
  objectIdsIn,
  observeLinks,
  orderAtProvider,
  refusedIds,
  reportLate,
  unopened,
} from './old-links.ts';
import { firstPaid, joinOwner, type Populated, populate } from './populate.ts';
import { loseBooks, sealUnderOtherKey, spoil } from './spoil.ts';
import { Stage } from './stage.ts';

/**
 * A rehearsal of the worst day: a gateway at work, its backup, its total loss, its restore from the
 * fetched copy, and a comparison field by field.
 */

export interface DrillOptions {
  readonly payments: number;
  /** Half of them during the backup, the others during the restore. */
  readonly kills: number;
  readonly seed: number;
  readonly port: number;
  readonly say: (text: string) => void;
}

export interface DrillResult {
  readonly proof: RestoreProof;
  /** What must not differ, and does. */
  readonly differences: readonly string[];
}

const CUSTOMERS = 16;
/** An event whose second try failed waits five minutes, before and after a restore. */
const EVENTS_WAIT_MS = 6 * 60_000;

export async function runDrill(options: DrillOptions): Promise<DrillResult> {
  const { payments, seed, port, say } = options;
  const stage = await Stage.open(port);
  const client = new HttpClient(CUSTOMERS + 1);
  const observed = new Observations();
  const merchantServer = new MerchantServer(stage.gateway.merchant, observed, seed);
  try {
    const { baseUrl, merchantId } = stage.gateway.merchant;
    const callbackUrl = await merchantServer.listen();
    const first = new Caller(stage.gateway, client, observed);
    const limits = { refundAgeDaysMax: 180, refundDailyMaxMinor: null };
    await operate(baseUrl, `merchants/${merchantId}/refund-limits`, limits);
    const member = await joinOwner({ caller: first }, baseUrl, merchantId);
    const scene: Scene = { caller: first, member, standIns: stage.standIns, observed };
    const populated = await populate(scene, { seed, payments, callbackUrl });
    say(`${payments} payments are there`);

    const late = await leaveAtProviders(first, stage.standIns, callbackUrl);
    const links = await linksOf(client, populated.records);
    const objectIds = await objectIdsIn(stage.stateDirectory);
    const refusedBefore = await refusedIds(baseUrl, objectIds);
    const names = namesOf(populated, late);
    const before = await until(
      'lists with every event',
      async () => {
        const found = {
          payments: await observePayments(first, names),
          lists: { ...(await observeLists(first, member)), ...(await observeLinks(client, links)) },
        };
        return unlistedEnds(found) === 0 && found;
      },
      { everyMs: 1_000, forMs: EVENTS_WAIT_MS },
    );
    const run = await backUp(stage, options);
    await checkSecrets(stage, run);
    const since = { method: 'M_PESA', uniqueId: 'since-backup', amount: 210, callbackUrl } as const;
    const unknown = await orderAtProvider(first, stage.standIns.byMethod, since);
    await stage.gateway.kill();
    const rowsBefore = await observeRows(stage.stateDirectory);
    await stage.loseEverything();
    say('everything is destroyed but the fetched copy');

    const proof = await restore(stage, options, run);
    await stage.gateway.kill();
    const rowsAfter = await observeRows(stage.stateDirectory);
    await stage.gateway.restart();
    const caller = new Caller(stage.gateway, client, observed);
    await member.signIn(caller);
    say('the owner has signed in with the old passkey');
    const after = {
      payments: await observePayments(caller, names),
      lists: { ...(await observeLists(caller, member)), ...(await observeLinks(client, links)) },
    };
    const refused = await refusedIds(baseUrl, objectIds);
    if (objectIds.length === 0 || refusedBefore > 0 || refused < objectIds.length) {
      throw new Error(`${refused} of ${objectIds.length} old ids of objects are refused`);
    }
    const wrong = [
      ...(await unopened(client, populated.openLinks)),
      ...(await reportLate(caller, late)),
      ...(await reportUnknown(caller, unknown)),
    ];
    if (wrong.length === 0) {
      await announceLate(caller, merchantServer, late);
    }
    say(
      `${links.length} old links were opened, and providers reported ${late.orders.size} payments`,
    );
    await until('events that were waiting', async () => (await undelivered(caller)).length === 0, {
      forMs: EVENTS_WAIT_MS,
      everyMs: 1_000,
    });
    say('every event of the backup has arrived');
    const differences = differencesOf(
      { ...before, rows: rowsBefore },
      { ...after, rows: rowsAfter },
    );
    const about = { seed, callbackUrl, baseUrl, merchantServer, client };
    await workAgain({ ...scene, caller }, populated, about);
    say('a new payment was paid and its webhook verified; repeated ids were refused or replayed');
    wrong.push(...(await loseAndRebuildBooks(stage, caller)));
    say('the books were lost, missed, and rebuilt from the payments');
    return {
      proof,
      differences: [...proof.differences, ...differences, ...wrong, ...observed.violations],
    };
  } finally {
    await stage.close();
    merchantServer.close();
    client.close();
  }
}

function namesOf({ records, unfinished }: Populated, { uniqueIds }: LateOrders) {
  const sandbox: Environment = 'sandbox';
  const production: Environment = 'production';
  return [
    ...records.map(({ plan: { environment, uniqueId } }) => ({ environment, uniqueId })),
    ...unfinished.map((uniqueId) => ({ environment: sandbox, uniqueId })),
    ...uniqueIds.map((uniqueId) => ({ environment: production, uniqueId })),
  ];
}

/** The backup, its verification and its copy. Returns its run. */
async function backUp(stage: Stage, { kills, seed, say }: DrillOptions): Promise<string> {
  const gateway = await operatorOf(stage);
  const killing = { gateway: stage.gateway, random: new Random(seed, 'backup'), say };
  const begun = await underKills({ ...killing, kills: Math.ceil(kills / 2) }, 'the backup', () =>
    backUpNow(gateway),
  );
  const run = begun.run ?? '';
  const verified = await underKills({ ...killing, kills: 0 }, 'the verification', () =>
    verifyBackup(gateway, given({ RUN: run })),
  );
  say(`backup ${run}: ${JSON.stringify(verified)}`);
  await underKills({ ...killing, kills: 0 }, 'the copy', () =>
    fetchBackup(gateway, given({ RUN: run, to: stage.copyDirectory })),
  );
  return run;
}

/** The recovery key and the copy are enough to begin again: the manifest has the other secrets. */
async function checkSecrets(stage: Stage, run: string): Promise<void> {
  const secrets = await localSecrets();
  const name = manifestName(run);
  const bytes = new Uint8Array(await readFile(join(stage.copyDirectory, name)));
  const keys = keyRing('BACKUP_KEYS', secrets.BACKUP_KEYS);
  const [manifest] = (await openPart(keys, name, bytes)) as readonly Manifest[];
  for (const ring of ['LINK_SIGNING_KEYS', 'DATA_ENCRYPTION_KEYS'] as const) {
    if (manifest?.secrets[ring] !== secrets[ring]) {
      throw new Error(`the manifest lacks ${ring}`);
    }
  }
}

async function restore(
  stage: Stage,
  { kills, seed, say }: DrillOptions,
  run: string,
): Promise<RestoreProof> {
  const gateway = await operatorOf(stage);
  const killing = { gateway: stage.gateway, random: new Random(seed, 'restore'), say };
  const from = stage.copyDirectory;
  const foreign = `${from}-foreign`;
  await sealUnderOtherKey(from, foreign);
  say(`a copy under another key: ${await foundBy(gateway, run, foreign)}`);

  const putBack = await spoil(from);
  const found = await underKills(
    { ...killing, kills: Math.floor(kills / 2) },
    'the restore',
    async function* () {
      yield await foundBy(gateway, run, from);
    },
  );
  if (!/production.demo.0: .* missing/.test(found) || !found.includes('members-1')) {
    throw new Error(`the proof does not name both parts: ${found}`);
  }
  const early = await operate(stage.gateway.baseUrl, 'maintenance/end', {}).catch(String);
  if (typeof early !== 'string') {
    throw new Error('the maintenance ends while parts are missing');
  }
  await putBack();
  say('without a part and with an altered one, the restore stays open, until both are put back');

  const proofs: (RestoreProof | null)[] = [];
  for (const what of ['the rest of the restore', 'the repeated restore']) {
    const last = await underKills({ ...killing, kills: 0 }, what, () =>
      restoreGateway(gateway, given({ run, from })),
    );
    proofs.push((last as RestoreStep).proof);
  }
  const [proof, repeated] = proofs;
  // The audit log has grown by the entries of the restore.
  const outcome = (one?: RestoreProof | null) => `${one?.closedAtMs} ${one?.restored} ${one?.kept}`;
  if (proof == null || outcome(proof) !== outcome(repeated)) {
    throw new Error(`the repeated restore has another proof: ${JSON.stringify(proofs)}`);
  }
  return proof;
}

/** What a restore says that does not end well. */
async function foundBy(gateway: OperatorGateway, run: string, from: string): Promise<string> {
  try {
    await lastOf(restoreGateway(gateway, given({ run, from })));
  } catch (error) {
    if (error instanceof FoundError || (error instanceof GatewayError && error.status === 409)) {
      return error.message;
    }
    throw error;
  }
  throw new Error('a spoilt copy was restored');
}

/** A payment of after the backup: its provider's report is refused, because Kefel does not know it. */
async function reportUnknown(caller: Caller, order: StandInOrder): Promise<readonly string[]> {
  await order.act('pays', { silent: true });
  const { status } = await order.callback();
  await caller.expect(caller.api('production').get('intent/since-backup'), 404);
  return status === 200 ? ['the report of an unknown payment was taken'] : [];
}

/** Books are copies: the self-check misses their payments, and the payments bring them back. */
async function loseAndRebuildBooks(stage: Stage, caller: Caller): Promise<readonly string[]> {
  const gateway = await operatorOf(stage);
  const intents = () => listOf(caller, 'production', 'intents');
  const before = (await intents()).sort();
  const objectIds = await objectIdsIn(stage.stateDirectory);
  // Books tell D1 hourly what they have.
  await send(gateway, { path: '/health/now' });
  await stage.gateway.kill();
  await loseBooks(stage.stateDirectory);
  await stage.gateway.restart();
  const { checks } = await lastOf(runCheck(gateway));
  const books = checks.find(({ name }) => name === 'books');
  if (books?.state !== 'wrong') {
    throw new Error(`the self-check does not miss the books: ${JSON.stringify(books)}`);
  }
  await operate(gateway.origin, 'books/rebuild', { objectIds });
  const after = new Set(await intents());
  return before.filter((row) => !after.has(row)).map((row) => `the rebuilt book lacks ${row}`);
}

/** Keys, payments, webhooks and repeated ids work. */
async function workAgain(
  scene: Scene,
  { records }: Populated,
  about: {
    readonly seed: number;
    readonly callbackUrl: string;
    readonly baseUrl: string;
    readonly merchantServer: MerchantServer;
    readonly client: HttpClient;
  },
): Promise<void> {
  const { seed, callbackUrl, baseUrl, merchantServer, client } = about;
  const plan = firstPaid(seed, callbackUrl, records.length);
  const request = scene.caller.api(plan.environment).postJson('intent', plan.body);
  if ((await client.send(request)).status !== 503) {
    throw new Error('the restored gateway takes payments before an operator has compared it');
  }
  await operate(baseUrl, 'maintenance/end', {});
  // Isolates remember the mode for up to 10 s, longer than a journey repeats its create.
  const body = { ...plan.body, paymentIntentUniqueId: 'after-maintenance' };
  const probe = scene.caller.api(plan.environment).postJson('intent', body);
  await until('normal mode', async () => (await client.send(probe)).status === 200, {
    everyMs: 500,
  });
  await new Journey(scene, scene.observed.open(plan)).run();
  await until(
    'webhook of the new payment',
    async () => (merchantServer.eventsByPayment().get(plan.uniqueId)?.length ?? 0) > 0,
  );
  await forEachOf(records, CUSTOMERS, (record) => new Journey(scene, record).replay());
}

async function operatorOf({ gateway }: Stage): Promise<OperatorGateway> {
  return {
    origin: gateway.baseUrl,
    headers: { authorization: `Bearer ${await operatorSecret()}`, 'x-operator': 'drill' },
  };
}

/** What the command line would have read. Names in capitals are given by position. */
function given(values: Readonly<Record<string, string>>): Given {
  const all = Object.entries(values).map(([name, value]) => [name, [value]] as const);
  const isPlace = ([name]: readonly [string, readonly string[]]) => name === name.toUpperCase();
  return new Given(new Map(all.filter(isPlace)), new Map(all.filter((entry) => !isPlace(entry))));
}
