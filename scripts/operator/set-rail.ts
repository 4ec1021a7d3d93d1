import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { railSecretName } from '../../src/engine/rails/settings.ts';
import { ConfigError } from '../../src/kit/config-error.ts';
import { environmentIn, methodIn, railIn } from '../check-rail/given.ts';
import { NO_ADDRESS, probeLive } from '../check-rail/live.ts';
import { directLines } from '../check-rail/probe-text.ts';
import { cloudflareOf } from '../deployment/cloudflare.ts';
import { deployedWorker, isUnderWay, setSecrets } from '../deployment/deployed-worker.ts';
import { requireDeployment } from '../deployment/deployment-file.ts';
import { workerNames } from '../deployment/render.ts';
import { tooLong } from '../deployment/value-length.ts';
import '../project/node-md5.ts';
import { explained, SetupProblem } from '../deployment/explain.ts';
import { send } from './client.ts';
import { FoundError, type Gateway, type Given, UsageError } from './command.ts';

/** A changed secret reaches Cloudflare's places within seconds. */
const READ_WITHIN_MS = 60_000;
const POLL_MS = 2_000;

interface RailState {
  readonly environment: string;
  readonly method: string;
  readonly state: string;
  readonly problem: string | null;
}

/**
 * Checks a rail's secret as the gateway does, tries it at the provider, sets it, and waits until the
 * gateway reads it. Yields how the gateway reads it.
 */
export async function* setRail(
  gateway: Gateway,
  given: Given,
  environment: NodeJS.ProcessEnv,
): AsyncGenerator<readonly RailState[]> {
  try {
    const deployment = given.option('env') ?? environment.KEFEL_ENV;
    if (deployment === undefined) {
      throw new UsageError('name the deployment with --env NAME, or set KEFEL_ENV');
    }
    const method = methodIn(given.at('METHOD'));
    const stage = environmentIn(given.at('ENVIRONMENT'));
    const name = railSecretName(stage, method);
    const secret = await text(process.stdin);
    const { vpcServices = {} } = await requireDeployment(deployment, given.option('directory'));
    const { rail, through } = railIn(secret, stage, method, Object.keys(vpcServices));
    const [fault] = tooLong({ [name]: secret });
    if (fault !== undefined) {
      throw new UsageError(fault);
    }
    const { result, lines } = await probeLive(rail, NO_ADDRESS, JSON.parse(secret));
    // Standard output is for the answer.
    console.error([...lines, ...directLines(through)].join('\n'));
    const isProved = result.outcome === 'accepted' || result.outcome === 'reached';
    if (!isProved && !given.has('unproved')) {
      throw new FoundError(
        `${name} was not set: the provider did not accept it. Correct it, or add --unproved if only the gateway can reach the provider.`,
      );
    }
    await upload(deployment, given.option('directory'), { [name]: secret }, environment);
    console.error(`${name} is set. The gateway reads it within seconds …`);
    yield [await readByGateway(gateway, stage, method)];
  } catch (error) {
    throw explainedHere(error);
  }
}

function explainedHere(error: unknown): unknown {
  if (error instanceof ConfigError) {
    return new UsageError(error.message);
  }
  if (error instanceof FoundError || error instanceof UsageError) {
    return error;
  }
  const { problem, remedy } = explained(error);
  return new FoundError(`${problem}\n${remedy}`);
}

async function upload(
  name: string,
  directory: string | undefined,
  secrets: Readonly<Record<string, string>>,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const deployment = await requireDeployment(name, directory);
  const cloudflare = await cloudflareOf(environment);
  const path = (below: string) => `/accounts/${deployment.account.id}/${below}`;
  const { payments } = await workerNames(name);
  const deployed = await deployedWorker({ cloudflare, path }, payments);
  if (deployed === null) {
    throw new SetupProblem(`${payments} is not deployed`, 'Run `npm run setup` first.');
  }
  if (isUnderWay(deployed)) {
    throw new SetupProblem(
      `a deployment of ${payments} is under way, and a changed secret would give its version all requests`,
      `Finish it or take it back: npm run deploy -- --env ${name}`,
    );
  }
  await setSecrets({ cloudflare, path }, payments, secrets);
}

async function readByGateway(
  gateway: Gateway,
  environment: string,
  method: string,
): Promise<RailState> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const rails = (await send(gateway, { path: '/rails' })) as readonly RailState[];
    const found = rails.find((rail) => rail.environment === environment && rail.method === method);
    if (found !== undefined && (found.state === 'configured' || waitedMs >= READ_WITHIN_MS)) {
      return found;
    }
    await wait(POLL_MS);
  }
}
