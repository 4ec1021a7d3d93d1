/**
 * `npm run chaos -- [--seed N] [--kills 20] [--port N]`: kills the gateway's whole process group
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
import { localSecrets } from '../scripts/dev/local-secrets.ts';
import { expectFreePort } from '../scripts/dev/ports.ts';
import { Gateway, NO_RATE_LIMITS } from '../scripts/gateway/gateway.ts';
import { HttpClient } from '../scripts/gateway/http.ts';
import { commandLine } from '../scripts/project/options.ts';
import { givenNumber } from '../scripts/project/whole-number.ts';
import { type StandIns, startStandIns } from '../scripts/stand-ins/start-all.ts';
import { Caller } from './chaos/caller.ts';
import { Journey } from './chaos/journey.ts';
import { forEachOf, killRepeatedly, runWorkers } from './chaos/load.ts';
import { Member } from './chaos/member.ts';
import { MerchantServer } from './chaos/merchant-server.ts';
import { Observations } from './chaos/observations.ts';
import { planOf } from './chaos/plan.ts';
import { Verdict } from './chaos/verdict.ts';
import { Random } from './harness/random.ts';

const CUSTOMERS = 24;
const VIOLATIONS_SHOWN = 500;
const INVITATION_POLL_MS = 50;
const INVITATION_WAIT_MS = 30_000;
const STAND_INS = { ethswitch: 'cards', hasRefunds: true, hasStatusQueries: true } as const;

const SCRIPT = {
  usage: 'npm run chaos',
  about: 'Kills a gateway under load at random moments, and checks that it lost nothing.',
  options: {
    seed: { value: 'N', about: 'decides payments, kills and failures (default: the time)' },
    kills: { value: 'N', about: 'how many kills (default: 20)' },
    port: { value: 'PORT', about: 'where the gateway listens (default: 8797)' },
  },
};

async function main(): Promise<boolean> {
  const { seed, kills, port } = commandLine(SCRIPT, (given) => ({
    seed: givenNumber(given, 'seed', Date.now() % 1_000_000, 0),
    kills: givenNumber(given, 'kills', 20, 0),
    port: givenNumber(given, 'port', 8_797),
  }));
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
    ...['--no-stand-ins', ...standIns.wranglerArgs, ...NO_RATE_LIMITS],
    // The report counts failures in the whole log.
    '--verbose',
  ];
  const gateway = await Gateway.prepare({ port, stateDirectory, outputFile, otherArgs }, client);
  const merchantServer = new MerchantServer(gateway.merchant, observed, seed);
  const callbackUrl = await merchantServer.listen();
  try {
    const caller = new Caller(gateway, client, observed);
    gateway.start();
    await gateway.untilReady();
    await liftDailyLimit(gateway);
    const member = await Member.join(caller, await invitationIn(outputFile));
    await gateway.kill();
    const journeys = await putUnderLoad({
      ...{ seed, kills, gateway, caller, member, standIns, observed, callbackUrl },
    });
    const verdict = new Verdict(gateway.merchant, client, observed, merchantServer);
    await verdict.untilEventsArrived((missing) => say(`waiting for ${missing} events`));
    await forEachOf(journeys, CUSTOMERS, (journey) => journey.replay());
    say("comparing payments, events, refunds, lists and the providers' books");
    await verdict.checkPayments(say);
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
}

interface Load {
  readonly seed: number;
  readonly kills: number;
  readonly gateway: Gateway;
  readonly caller: Caller;
  readonly member: Member;
  readonly standIns: StandIns;
  readonly observed: Observations;
  readonly callbackUrl: string;
}

/** One merchant refunds all day: more than a new merchant's limit. */
async function liftDailyLimit({ merchant }: Gateway): Promise<void> {
  const { OPERATOR_SECRETS } = await localSecrets();
  const path = `/operator/v1/merchants/${merchant.merchantId}/refund-limits`;
  const answer = await fetch(`${merchant.baseUrl}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${OPERATOR_SECRETS.split(',')[0]}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ refundAgeDaysMax: 180, refundDailyMaxMinor: null }),
  });
  if (!answer.ok) {
    throw new Error(`the refund limits answered ${answer.status} ${await answer.text()}`);
  }
}

/**
 * Creates payments without a pause while the gateway is killed, then lets those in progress end.
 */
async function putUnderLoad(load: Load): Promise<readonly Journey[]> {
  const { seed, kills, gateway, caller, member, standIns, observed, callbackUrl } = load;
  const journeys: Journey[] = [];
  let isOver = false;
  const killing = killRepeatedly(gateway, kills, new Random(seed, 'kills'), say).finally(() => {
    isOver = true;
    say('killed for the last time; waiting for the payments in progress');
  });
  const paying = runWorkers(
    CUSTOMERS,
    () => isOver,
    async (index) => {
      const record = observed.open(planOf(seed, index, callbackUrl));
      const standIn = standIns.byMethod[record.plan.methods[0]];
      const journey = new Journey(caller, member, standIn, observed, record);
      journeys.push(journey);
      await journey.run();
    },
  );
  await Promise.all([killing, paying]);
  return journeys;
}

/** The link that `npm run dev` prints once it is ready. */
async function invitationIn(outputFile: string): Promise<string> {
  const deadlineMs = performance.now() + INVITATION_WAIT_MS;
  while (performance.now() < deadlineMs) {
    const link = /http\S+\/dashboard\/join\?token=\S+/.exec(await readFile(outputFile, 'utf8'));
    if (link !== null) {
      return link[0];
    }
    await wait(INVITATION_POLL_MS);
  }
  throw new Error('the gateway has printed no link into the dashboard');
}

async function summarize(observed: Observations, outputFile: string): Promise<void> {
  say('');
  say(`payments asked for: ${observed.payments.size}`);
  for (const [what, count] of observed.counts()) {
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

const startedAtMs = performance.now();

function say(text: string): void {
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
  console.log(text === '' ? '' : `${seconds.padStart(6)} s  ${text}`);
}

try {
  process.exit((await main()) ? 0 : 1);
} catch (error) {
  console.error(error);
  process.exit(1);
}
