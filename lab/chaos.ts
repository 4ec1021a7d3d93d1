/**
 * `npm run lab -- chaos [--seed N] [--kills 20] [--port N]`: kills the gateway's whole process group
 * with SIGKILL at random moments, and restarts it each time. Meanwhile it takes payments and refunds
 * by the API and the dashboard, in the sandbox and in production through stand-ins for providers.
 * Then it compares everything that was acknowledged with what the gateway answers and lists, what
 * the merchant received, and the providers' books. The seed decides payments, kills and failures of
 * the merchant; only the machine's timing differs between runs. Exits with 1 when anything was lost.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expectFreePort } from '../scripts/dev/ports.ts';
import { Gateway, NO_RATE_LIMITS } from '../scripts/gateway/gateway.ts';
import { HttpClient } from '../scripts/gateway/http.ts';
import { numberOption } from '../scripts/project/options.ts';
import { startStandIns } from '../scripts/stand-ins/start-all.ts';
import { Caller } from './chaos/caller.ts';
import { Journey } from './chaos/journey.ts';
import { Member } from './chaos/member.ts';
import { MerchantServer } from './chaos/merchant-server.ts';
import { Observations } from './chaos/observations.ts';
import { planOf } from './chaos/plan.ts';
import type { Scene } from './chaos/scene.ts';
import { checkPayments, untilEventsArrived } from './chaos/verdict.ts';
import { operate } from './harness/operator.ts';
import { Random } from './harness/random.ts';
import { runLabScript, seedOption } from './harness/script.ts';
import { until } from './harness/until.ts';
import { forEachOf, runWorkers } from './harness/workers.ts';

const CUSTOMERS = 24;
const VIOLATIONS_SHOWN = 500;
const SERVING_MS_MIN = 200;
const SERVING_MS_MAX = 3_500;
const STARTING_MS_MAX = 4_000;
const KILLED_WHILE_STARTING_PROBABILITY = 0.1;
const STAND_INS = { ethswitch: 'cards', hasRefunds: true, hasStatusQueries: true } as const;

const SCRIPT = {
  usage: 'npm run lab -- chaos',
  about: 'Kills a gateway under load at random moments, and checks that it lost nothing.',
  options: {
    seed: seedOption('decides payments, kills and failures'),
    kills: numberOption('N', 'how many kills', 20, 0),
    port: numberOption('PORT', 'where the gateway listens', 8_797),
  },
};

const startedAtMs = performance.now();

await runLabScript(SCRIPT, async ({ seed, kills, port }) => {
  say(`seed ${seed}, ${kills} kills, port ${port}`);
  await expectFreePort(port);
  const directory = await mkdtemp(join(tmpdir(), 'kefel-chaos-'));
  say(`state and output of the gateway: ${directory}`);
  const outputFile = join(directory, 'gateway.log');
  const stateDirectory = join(directory, 'state');
  const client = new HttpClient(CUSTOMERS + 1);
  const observed = new Observations();
  // They are never killed: the providers' books are compared with Kefel's.
  const standIns = await startStandIns(`http://localhost:${port}`, STAND_INS);
  const otherArgs = [
    ...['--no-stand-ins', ...standIns.variables.flatMap((it) => ['--var', it]), ...NO_RATE_LIMITS],
    // The report counts failures in the whole log.
    '--verbose',
  ];
  const gateway = await Gateway.prepare({ port, stateDirectory, outputFile, otherArgs });
  const merchantServer = new MerchantServer(gateway.merchant, observed, seed);
  const callbackUrl = await merchantServer.listen();
  try {
    const caller = new Caller(gateway, client, observed);
    gateway.start();
    await gateway.untilReady();
    // One merchant refunds all day: more than a new merchant's limit.
    const { baseUrl, merchantId } = gateway.merchant;
    const limits = { refundAgeDaysMax: 180, refundDailyMaxMinor: null };
    await operate(baseUrl, `merchants/${merchantId}/refund-limits`, limits);
    const member = await Member.join(caller, await invitationIn(outputFile));
    await gateway.kill();
    const scene = { caller, member, standIns, observed };
    const journeys = await putUnderLoad(scene, { seed, kills, gateway, callbackUrl });
    const evidence = { caller, observed, merchantServer, say };
    await untilEventsArrived(evidence);
    await forEachOf(journeys, CUSTOMERS, (journey) => journey.replay());
    say("comparing payments, events, refunds, lists and the providers' books");
    await checkPayments(evidence);
  } finally {
    await gateway.kill();
    await standIns.stop();
    merchantServer.close();
    client.close();
  }
  const isClean = observed.violations.length === 0;
  say(`starts repeated because wrangler lost an inner port: ${gateway.portRaces}`);
  await summarize(observed, outputFile);
  if (isClean) {
    await rm(directory, { recursive: true });
  }
  return isClean;
});

interface Load {
  readonly seed: number;
  readonly kills: number;
  readonly gateway: Gateway;
  readonly callbackUrl: string;
}

/**
 * Creates payments without a pause while the gateway is killed, then lets those in progress end.
 */
async function putUnderLoad(
  scene: Scene,
  { seed, kills, gateway, callbackUrl }: Load,
): Promise<readonly Journey[]> {
  const journeys: Journey[] = [];
  let isOver = false;
  const killing = killRepeatedly(gateway, kills, new Random(seed, 'kills')).finally(() => {
    isOver = true;
    say('killed for the last time; waiting for the payments in progress');
  });
  const paying = runWorkers(
    CUSTOMERS,
    () => isOver,
    async (index) => {
      const record = scene.observed.open(planOf(seed, index, callbackUrl));
      const journey = new Journey(scene, record);
      journeys.push(journey);
      await journey.run();
    },
  );
  await Promise.all([killing, paying]);
  return journeys;
}

/** Starts and kills the gateway at random moments, then starts it a last time. */
async function killRepeatedly(gateway: Gateway, kills: number, random: Random): Promise<void> {
  for (let kill = 1; kill <= kills; kill += 1) {
    const isStarting = kill > 1 && random.chance(KILLED_WHILE_STARTING_PROBABILITY);
    const delayMs = isStarting
      ? random.between(0, STARTING_MS_MAX)
      : random.between(SERVING_MS_MIN, SERVING_MS_MAX);
    gateway.start();
    if (!isStarting) {
      await gateway.untilReady();
    }
    await wait(delayMs);
    await gateway.kill();
    say(`kill ${kill} of ${kills}: ${delayMs} ms after ${isStarting ? 'start' : 'ready'}`);
  }
  gateway.start();
  await gateway.untilReady();
}

/** The link that `npm run dev` prints once it is ready. */
function invitationIn(outputFile: string): Promise<string> {
  return until('link into the dashboard', async () => {
    const link = /http\S+\/dashboard\/join\?token=\S+/.exec(await readFile(outputFile, 'utf8'));
    return link?.[0] ?? null;
  });
}

async function summarize(observed: Observations, outputFile: string): Promise<void> {
  say('');
  say(`payments asked for: ${observed.payments.size}`);
  for (const [what, count] of [...observed.counts].sort()) {
    say(`  ${what}: ${count}`);
  }
  say(`events in the gateway's own log: ${await loggedTroubles(outputFile)}`);
  for (const violation of observed.violations.slice(0, VIOLATIONS_SHOWN)) {
    say(`VIOLATION ${violation}`);
  }
  say(
    observed.violations.length === 0
      ? 'Nothing acknowledged was lost or doubled, and no event; every row and every book agrees.'
      : `${observed.violations.length} violations.`,
  );
}

/** Counts the failures in the gateway's log, for information: a kill may cause some. */
async function loggedTroubles(outputFile: string): Promise<string> {
  const output = await readFile(outputFile, 'utf8');
  const counts = new Map<string, number>();
  for (const [, event = ''] of output.matchAll(
    /"event":"([a-z_]+(?:failed|broken|unavailable|not_stored))"/g,
  )) {
    counts.set(event, (counts.get(event) ?? 0) + 1);
  }
  const texts = [...counts].map(([event, count]) => `${event} ${count}`);
  return texts.length === 0 ? 'none' : texts.join(', ');
}

function say(text: string): void {
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
  console.log(text === '' ? '' : `${seconds.padStart(6)} s  ${text}`);
}
