import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { writeOperatorsFile } from '../../../scripts/deployment/operators-file.ts';
import { PROJECT_DIRECTORY } from '../../../scripts/project/files.ts';
import { startEbirrStandIn } from '../../../scripts/stand-ins/ebirr.ts';
import { jsonReply, StandInServer } from '../../../scripts/stand-ins/stand-in.ts';
import { type Cloudflare, startCloudflare } from '../../support/cloudflare/server.ts';
import { DeployStage, NAME, PAYMENTS } from '../../support/deploy-stage.ts';

/**
 * Goal: one command connects a rail, and sets nothing that is wrong, that the provider refuses, or that
 * would give a version under way all requests. Method: the command runs against the local Cloudflare's
 * API, a stand-in of the provider, and a server that plays the gateway.
 */

const DEPLOYMENTS = 'POST /accounts/{account}/workers/scripts/{script}/deployments';
const SECRET = 'RAIL_E_BIRR_PRODUCTION';

let cloudflare: Cloudflare;
let provider: Awaited<ReturnType<typeof startEbirrStandIn>>;
let gateway: StandInServer;
let stage: DeployStage;

beforeAll(async () => {
  cloudflare = await startCloudflare();
  provider = await startEbirrStandIn();
  const rail = { environment: 'production', method: 'E_BIRR', rail: 'ebirr', problem: null };
  gateway = await StandInServer.start(async () =>
    jsonReply(200, { status: 200, message: 'Rails', content: [{ ...rail, state: 'configured' }] }),
  );
  return () => Promise.all([gateway.stop(), provider.stop()]);
});

afterAll(() => cloudflare.stop());

beforeEach(async () => {
  stage = await DeployStage.start(cloudflare);
  await writeOperatorsFile(join(stage.directory, `kefel-${NAME}-operators.json`), {
    url: gateway.baseUrl,
    name: 'Sara',
    secret: 'x',
  });
  cloudflare.calls.length = 0;
});

afterEach(() => stage.stop());

interface Ended {
  readonly code: number;
  readonly output: string;
}

function set(
  words: readonly string[],
  settings: object | string,
  place: readonly string[] = ['--env', NAME],
): Promise<Ended> {
  const args = ['scripts/operator.ts', 'rail', 'set', ...words];
  const env = {
    ...process.env,
    ...cloudflare.environment,
    HOME: stage.directory,
    KEFEL_OPERATOR_SECRET: 'x',
  };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [...args, ...place, '--directory', stage.directory],
      { cwd: PROJECT_DIRECTORY, env },
      (error, out, errors) => resolve({ code: Number(error?.code ?? 0), output: out + errors }),
    );
    child.stdin?.end(typeof settings === 'string' ? settings : JSON.stringify(settings));
  });
}

const names = () =>
  stage
    .script(PAYMENTS)
    .versions.at(-1)
    ?.bindings.map(({ name }) => name);

test('checks, probes and sets a secret, and shows how the gateway reads it', async () => {
  const { code, output } = await set(['E_BIRR', 'production'], provider.settings);
  expect(output).toContain('ACCEPTED: ');
  expect(output).toContain(`${SECRET} is set.`);
  expect(output).toMatch(/production +E_BIRR +configured/);
  expect(code).toBe(0);
  expect(names()).toContain(SECRET);
  expect(output).not.toContain(provider.settings.apiKey);
});

test.each([
  [2, 'EBIRR', {}, /^there is no method "EBIRR": did you mean E_BIRR\?\n$/],
  [2, 'E_BIRR', { apiKey: '' }, /^RAIL_E_BIRR_PRODUCTION: apiKey: must be [^\n]*\n$/],
  [2, 'E_BIRR', { through: 'VPC_ETHIO' }, /^[^\n]*: through: the Worker has no binding [^\n]*\n$/],
  [1, 'E_BIRR', { apiKey: 'API-another-key' }, /REFUSED: .*\n.*\n.*was not set/],
  [1, 'E_BIRR', { baseUrl: 'http://localhost:9' }, /UNREACHABLE: .*\n[^\n]*add --unproved/],
])('ends with %i for %s with %j, and sets nothing', async (code, method, changes, output) => {
  const ended = await set([method, 'production'], { ...provider.settings, ...changes });
  expect(ended).toEqual({ code, output: expect.stringMatching(output) });
  expect(cloudflare.changes()).toEqual([]);
});

test('names a secret that is longer than Cloudflare takes', async () => {
  const secret = JSON.stringify(provider.settings).padEnd(6_000);
  const ended = await set(['E_BIRR', 'production'], secret);
  expect(ended).toEqual({ code: 2, output: expect.stringMatching(`^${SECRET} has \\d+ bytes`) });
});

test('asks for the deployment, where the address alone names a gateway', async () => {
  const place = ['--url', gateway.baseUrl];
  const ended = await set(['E_BIRR', 'production'], provider.settings, place);
  expect(ended).toEqual({ code: 2, output: expect.stringMatching(/^name the deployment with/) });
});

test('sets what the provider did not accept from here, when a person says so', async () => {
  const settings = { ...provider.settings, baseUrl: 'http://localhost:9' };
  expect((await set(['E_BIRR', 'production', '--unproved'], settings)).code).toBe(0);
  expect(names()).toContain(SECRET);
});

test('sets nothing while a deployment is under way', async () => {
  const expectRefused = async () => {
    cloudflare.calls.length = 0;
    const { code, output } = await set(['E_BIRR', 'production'], provider.settings);
    expect(code).toBe(1);
    expect(output).toContain(`a deployment of ${PAYMENTS} is under way`);
    expect(cloudflare.changes()).toEqual([]);
  };
  // Without requests.
  stage.onAnswer = () => cloudflare.failCall(DEPLOYMENTS, 'reset');
  expect(await stage.run()).toBe(false);
  cloudflare.recover();
  await expectRefused();

  // With all requests, before its checks.
  stage.onAnswer = () => undefined;
  await stage.addOperator();
  stage.selfCheck = async () => {
    throw new Error('stopped');
  };
  await expect(stage.run()).rejects.toThrow('stopped');
  await expectRefused();
});
