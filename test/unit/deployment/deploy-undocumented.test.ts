import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ApiError } from '../../support/cloudflare/api.ts';
import { type Cloudflare, startCloudflare } from '../../support/cloudflare/server.ts';
import { DeployStage, OLD_COMMIT, PAYMENTS } from '../../support/deploy-stage.ts';

/**
 * Goal: a deployment stays safe and says what happens, whichever of its possible answers Cloudflare
 * gives: wrangler's source and the documentation leave some of them open. Method: the local Cloudflare
 * gives each in its turn.
 */

const DEPLOYMENTS = 'POST /accounts/{account}/workers/scripts/{script}/deployments';

let cloudflare: Cloudflare;
let stage: DeployStage;

beforeAll(async () => {
  cloudflare = await startCloudflare();
});

afterAll(() => cloudflare.stop());

beforeEach(async () => {
  stage = await DeployStage.start(cloudflare);
});

afterEach(() => stage.stop());

/** What the newest version of the payments says of itself. */
function annotate(annotations: Readonly<Record<string, string>>): void {
  Object.assign(stage.script(PAYMENTS).versions.at(-1) ?? {}, { annotations });
}

test.each([
  ['is triggered by a secret', () => ({ 'workers/triggered_by': 'secret' })],
  ['is triggered by a change of secrets', () => ({ 'workers/triggered_by': 'Secret Change' })],
  ['keeps the tag', () => stage.script(PAYMENTS).versions.at(-2)?.annotations ?? {}],
])('knows the code of a version with changed secrets that %s', async (_, annotations) => {
  await stage.run();
  stage.changeSecret(PAYMENTS, 'LINK_SIGNING_KEYS');
  annotate(annotations());
  expect(await stage.run()).toBe(true);
  expect(stage.output).toContain('Nothing to do');
});

test('takes the code of a version that says nothing for unknown', async () => {
  await stage.run();
  stage.changeSecret(PAYMENTS, 'LINK_SIGNING_KEYS');
  annotate({});
  expect(await stage.run()).toBe(true);
  expect(stage.output).toContain('(unknown commit)');
});

test('names the changed secrets, when Cloudflare refuses to go back with another code', async () => {
  await stage.run();
  const message = 'The following secrets have changed: LINK_SIGNING_KEYS, BACKUP_KEYS';
  stage.canDeployCommits = false;
  cloudflare.failCall(DEPLOYMENTS, new ApiError(10999, message));
  expect(await stage.run({ act: 'rollback' })).toBe(false);
  expect(stage.output).toContain('an old value of LINK_SIGNING_KEYS, BACKUP_KEYS');
  expect(stage.output).toContain(`git restore --source ${OLD_COMMIT}`);
});

test("repeats Cloudflare's words, and what to do, when it refuses to go back without a known reason", async () => {
  await stage.run();
  cloudflare.failCall(DEPLOYMENTS, new ApiError(10999, 'A queue of the version is gone'));
  expect(await stage.run({ act: 'rollback' })).toBe(false);
  expect(stage.output).toContain('THE BAD VERSION IS STILL LIVE');
  expect(stage.output).toContain('A queue of the version is gone (10999)');
  expect(stage.output).toContain('--rollback');
});
