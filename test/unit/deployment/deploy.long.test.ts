import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Cloudflare as Client } from '../../../scripts/deployment/cloudflare.ts';
import { SetupProblem } from '../../../scripts/deployment/explain.ts';
import { NotChecked } from '../../../scripts/setup/self-check.ts';
import { type Cloudflare, startCloudflare } from '../../support/cloudflare/server.ts';
import {
  BACK_OFFICE,
  COMMIT,
  DeployStage,
  NAME,
  OLD_COMMIT,
  PAYMENTS,
} from '../../support/deploy-stage.ts';

/**
 * Goal: a deployment reaches all requests only through checks, goes back by itself when one fails, and
 * never does in one step what no rollback undoes (docs/decisions.md#50). Method: the local Cloudflare's
 * API; `test/support/deploy-stage.ts` plays wrangler and the Workers.
 */

let stage: DeployStage;
const DEPLOYMENTS = 'POST /accounts/{account}/workers/scripts/{script}/deployments';
const ALL_NEW = { [COMMIT]: 100 };
const ALL_OLD = { [OLD_COMMIT]: 100 };

let cloudflare: Cloudflare;

beforeAll(async () => {
  cloudflare = await startCloudflare();
});

afterAll(() => cloudflare.stop());

beforeEach(async () => {
  stage = await DeployStage.start(cloudflare);
});

afterEach(() => stage.stop());

/** That nothing was changed, and the words that say why. */
function expectRefusal(isDone: boolean, ...words: readonly string[]): void {
  expect(isDone).toBe(false);
  for (const text of words) {
    expect(stage.output).toContain(text);
  }
  expect(stage.cloudflare.changes()).toEqual([]);
  expect([stage.shares(PAYMENTS), stage.shares(BACK_OFFICE)]).toEqual([ALL_OLD, ALL_OLD]);
}

test('decisions.md#50 gives a commit all requests after it has answered without any, the payments before the back office', async () => {
  expect(await stage.run()).toBe(true);
  // The last one says that the checks passed.
  expect(stage.history(PAYMENTS)).toEqual([undefined, 0, 100, 100]);
  expect(stage.history(BACK_OFFICE)).toEqual([undefined, 0, 100, 100]);
  // The schedules, consumers and routes of the new version follow its upload.
  const commands = stage.wrangled.map((line) => line.split(' ', 2).join(' '));
  const ofWorker = ['versions upload', 'triggers deploy'];
  expect(commands).toEqual([...ofWorker, ...ofWorker]);
  const first = stage.said.findIndex((line) => line.includes(`${BACK_OFFICE}: uploaded`));
  expect(first).toBeGreaterThan(
    stage.said.findIndex((line) => line.includes(`${PAYMENTS}: all requests go to`)),
  );

  expect(await stage.run()).toBe(true);
  expect(stage.output).toContain('Nothing to do');
  expect(stage.cloudflare.changes()).toEqual([]);
});

test('refuses changes that no commit has', async () => {
  stage.changes = ' M src/index.ts\n';
  expectRefusal(await stage.run(), 'src/index.ts', 'Commit them');
});

test('refuses a value that the gateway could not read, before it uploads anything', async () => {
  await stage.changeDeployment(({ variables, ...deployment }) => ({
    ...deployment,
    variables: { ...variables, payments: { SECOND_OPERATOR_ABOVE: '5,000' } },
  }));
  expectRefusal(await stage.run(), 'SECOND_OPERATOR_ABOVE must be "off" or an amount');
});

test('refuses pending migrations in the same step, and names the command for them', async () => {
  stage.applied.set(PAYMENTS, ['0001_baseline.sql']);
  expectRefusal(await stage.run(), '0002_', `npm run deploy -- --env ${NAME} --migrate`);

  expect(await stage.run({ act: 'migrate' })).toBe(true);
  expect(stage.wrangled.at(-1)).toContain(`d1 migrations apply ${PAYMENTS} --remote`);
  expect(stage.shares(PAYMENTS)).toEqual(ALL_OLD);
  expect(await stage.run()).toBe(true);
});

test('refuses changed classes of objects, and names the command of wrangler that deploys them at once', async () => {
  const { namespaces } = stage.script(PAYMENTS);
  namespaces.splice(2, 1, { id: 'n', class: 'Removed', use_sqlite: true });
  expectRefusal(
    await stage.run(),
    `${PAYMENTS} adds MerchantRegister and removes Removed`,
    // Without routes, with which wrangler would replace DNS records of something else.
    'payments/upload.json --tag ',
    `--message 'commit ${COMMIT}'`,
    `npm run operator -- check --env ${NAME}`,
  );
  expect(stage.output).not.toContain('backOffice/upload.json');
});

test('refuses a Worker that lacks a secret', async () => {
  const [version] = stage.script(BACK_OFFICE).versions;
  Object.assign(version ?? {}, { bindings: [] });
  const words = `${BACK_OFFICE} has no BACK_OFFICE_KEYS, OPERATOR_SECRETS`;
  expectRefusal(await stage.run(), words, 'npm run setup');
});

test('asks before it changes anything, or refuses where there is no terminal', async () => {
  expectRefusal(await stage.run({ isYes: false }), 'Add --yes');
  stage.applied.set(PAYMENTS, []);
  const command = `Add --yes: npm run deploy -- --env ${NAME} --migrate --yes`;
  expectRefusal(await stage.run({ isYes: false, act: 'migrate' }), command);
});

test('goes back by itself, when the new version answers with an error', async () => {
  stage.statuses.set(PAYMENTS, 500);
  expect(await stage.run()).toBe(false);
  expect(stage.output).toContain('answered 500');
  expect(stage.history(PAYMENTS)).toEqual([undefined, 0, undefined]);
  expect(stage.shares(PAYMENTS)).toEqual(ALL_OLD);
  expect(stage.history(BACK_OFFICE)).toEqual([undefined]);
});

test('goes back by itself, when only the old version answers its requests', async () => {
  stage.isPropagated = false;
  expect(await stage.run()).toBe(false);
  expect(stage.output).toContain('was not answered by the new version');
  expect(stage.history(PAYMENTS)).toEqual([undefined, 0, undefined]);
});

/** The deployments of a run: without requests, with all, and the proof, for each Worker. */
const CALLS = [1, 2, 3, 4, 5, 6];
const FAULTS = ['reset', 'answer lost'] as const;

test.each(CALLS.flatMap((call) => FAULTS.map((fault) => [call, fault] as const)))(
  'continues where it stopped, when the network fails at change %i (%s)',
  async (call, fault) => {
    // Each deployment is a change; the call before the failing one arms the fault.
    const { push } = cloudflare.calls;
    let changes = 0;
    const arm = () => {
      changes += 1;
      if (changes === call) {
        cloudflare.failCall(DEPLOYMENTS, fault);
      }
    };
    cloudflare.calls.push = function (...names) {
      if (names.includes(DEPLOYMENTS)) {
        arm();
      }
      return push.apply(this, names);
    };
    arm();
    expect(await stage.run()).toBe(false);
    cloudflare.calls.push = push;
    expect(stage.output).toContain(`To continue: npm run deploy -- --env ${NAME}`);
    // Before the first change, the command would take back what works.
    expect(stage.output.includes('--rollback')).toBe(call > 1);
    expect(await stage.run()).toBe(true);
    expect([stage.shares(PAYMENTS), stage.shares(BACK_OFFICE)]).toEqual([ALL_NEW, ALL_NEW]);
    expect(stage.script(PAYMENTS).versions).toHaveLength(2);
    expect(stage.script(BACK_OFFICE).versions).toHaveLength(2);
    // Each Worker's, once more where only the answer about its requests was lost.
    const triggers = stage.wrangled.filter((line) => line.startsWith('triggers'));
    expect(triggers.length).toBeGreaterThanOrEqual(2);
  },
);

test('takes a deployment back that is under way, and refuses another commit meanwhile', async () => {
  stage.onAnswer = () => stage.cloudflare.failCall(DEPLOYMENTS, 'reset');
  expect(await stage.run()).toBe(false);
  expect(stage.shares(PAYMENTS)).toEqual({ [COMMIT]: 0, [OLD_COMMIT]: 100 });
  stage.onAnswer = () => undefined;
  stage.cloudflare.recover();

  const [, uploaded] = stage.script(PAYMENTS).versions;
  Object.assign(uploaded ?? {}, {
    annotations: { ...uploaded?.annotations, 'workers/tag': `${'c'.repeat(12)}-${'d'.repeat(12)}` },
  });
  expect(await stage.run()).toBe(false);
  expect(stage.output).toContain(`to ${COMMIT} is under way`);

  expect(await stage.run({ act: 'rollback' })).toBe(true);
  expect(stage.shares(PAYMENTS)).toEqual(ALL_OLD);
});

test('takes both Workers back to the version before, when a deployment was finished', async () => {
  await stage.run();
  stage.cloudflare.calls.length = 0;
  expect(await stage.run({ act: 'rollback' })).toBe(true);
  expect([stage.shares(PAYMENTS), stage.shares(BACK_OFFICE)]).toEqual([ALL_OLD, ALL_OLD]);
  // Wrangler would bring back what was taken back.
  expect(stage.output).toContain('advise to deploy the newest version first');
  const order = stage.said.filter((line) => line.includes('back to'));
  expect(order[0]).toContain(BACK_OFFICE);
});

test('goes back further with each rollback, and never to a version that was taken back', async () => {
  const third = '3'.repeat(40);
  await stage.run();
  stage.release(third);
  await stage.run();
  expect(stage.shares(PAYMENTS)).toEqual({ [third]: 100 });
  expect(await stage.run({ act: 'rollback' })).toBe(true);
  expect([stage.shares(PAYMENTS), stage.shares(BACK_OFFICE)]).toEqual([ALL_NEW, ALL_NEW]);
  // When Cloudflare's ten deployments no longer have the first version, the deployment file remembers it.
  const { deployments, versions } = stage.script(PAYMENTS);
  deployments.splice(
    0,
    deployments.length,
    ...deployments.filter(({ versions: [only] }) => only?.version_id !== versions[0]?.id),
  );
  expect(await stage.run({ act: 'rollback' })).toBe(true);
  expect([stage.shares(PAYMENTS), stage.shares(BACK_OFFICE)]).toEqual([ALL_OLD, ALL_OLD]);
  expect(await stage.run({ act: 'rollback' })).toBe(false);
  expect(stage.output).toContain('no version before this one');
  expect([stage.shares(PAYMENTS), stage.shares(BACK_OFFICE)]).toEqual([ALL_OLD, ALL_OLD]);
});

test('takes only the Worker of the last release back, although a secret of the other one is newer', async () => {
  const third = '3'.repeat(40);
  await stage.run();
  const annotations = stage.script(BACK_OFFICE).versions.at(-1)?.annotations ?? {};
  Object.assign(annotations, { 'workers/tag': `${'1'.repeat(12)}-${'e'.repeat(12)}` });
  stage.commit = third;
  stage.known.push(third);
  expect(await stage.run()).toBe(true);
  expect([stage.shares(PAYMENTS), stage.shares(BACK_OFFICE)]).toEqual([ALL_NEW, { [third]: 100 }]);
  stage.changeSecret(PAYMENTS, 'RAIL_M_PESA_PRODUCTION');
  const before = stage.script(PAYMENTS).deployments.length;
  expect(await stage.run({ act: 'rollback' }), stage.output).toBe(true);
  expect(stage.shares(BACK_OFFICE)).toEqual(ALL_NEW);
  expect(stage.script(PAYMENTS).deployments).toHaveLength(before);
});

test('replaces no DNS record that was made during the deployment', async () => {
  const host = 'pay.example.com';
  stage.onAnswer = () => stage.cloudflare.state.dnsRecords.add(host);
  expect(await stage.run()).toBe(false);
  expect(stage.output).toContain(`${host} has a DNS record of something else`);
  expect(stage.wrangled.filter((line) => line.startsWith('triggers'))).toEqual([]);
  expect(stage.shares(PAYMENTS)).toEqual({ [COMMIT]: 0, [OLD_COMMIT]: 100 });
});

test('looks at DNS records before it uploads anything', async () => {
  stage.cloudflare.state.dnsRecords.add('office.example.com');
  expectRefusal(await stage.run(), 'office.example.com has a DNS record of something else');
});

test('remembers the longest life of links that a deployed configuration allows', async () => {
  await stage.changeDeployment((deployment) => ({ ...deployment, expireInSecondsMax: 600 }));
  expect(await stage.run()).toBe(true);
  expect((await stage.deployment()).expireInSecondsMax).toBe(31_622_400);
});

test('does not advise to go back, when nothing of a failed deployment is left', async () => {
  stage.statuses.set(PAYMENTS, 500);
  expect(await stage.run()).toBe(false);
  expect(stage.output).not.toContain('--rollback');
});

test('advises to take the payments back, too, when the back office went back', async () => {
  stage.statuses.set(BACK_OFFICE, 500);
  expect(await stage.run()).toBe(false);
  expect(stage.output).toContain(`${PAYMENTS} stays at this commit`);
  expect(await stage.run({ act: 'rollback' })).toBe(true);
  expect([stage.shares(PAYMENTS), stage.shares(BACK_OFFICE)]).toEqual([ALL_OLD, ALL_OLD]);
});

test.each([500, 401] as const)(
  'tries again to go back, while Cloudflare answers %i',
  async (status) => {
    stage.statuses.set(PAYMENTS, 500);
    stage.onAnswer = () => stage.cloudflare.failCall(DEPLOYMENTS, status, 3);
    expect(await stage.run()).toBe(false);
    expect(stage.output).toContain('NOT rolled back yet');
    expect(stage.output).toContain('rolled back. All requests go to');
    expect(stage.shares(PAYMENTS)).toEqual(ALL_OLD);
  },
);

test('says that the bad version is still live, when Cloudflare never lets it go back', async () => {
  stage.statuses.set(PAYMENTS, 500);
  stage.onAnswer = () => stage.cloudflare.failCall(DEPLOYMENTS, 500, Number.POSITIVE_INFINITY);
  expect(await stage.run()).toBe(false);
  expect(stage.output).toContain('THE BAD VERSION IS STILL LIVE');
  expect(stage.output).toContain(`npm run deploy -- --env ${NAME} --rollback`);
  expect(stage.output).not.toContain('To continue');
  stage.onAnswer = () => undefined;
  stage.cloudflare.recover();
  expect(await stage.run({ act: 'rollback' })).toBe(true);
  expect(stage.shares(PAYMENTS)).toEqual(ALL_OLD);
});

test('proves a version again that got all requests, when the run was stopped before its checks', async () => {
  await stage.addOperator();
  stage.selfCheck = async () => {
    throw new Error('stopped');
  };
  await expect(stage.run()).rejects.toThrow('stopped');
  expect(stage.shares(PAYMENTS)).toEqual(ALL_NEW);
  stage.selfCheck = async () => {
    throw new SetupProblem('payment is wrong', 'Look at it.');
  };
  expect(await stage.run()).toBe(false);
  expect(stage.output).toContain('payment is wrong');
  expect(stage.shares(PAYMENTS)).toEqual(ALL_OLD);
});

test('still owes the checks of an interrupted run after a change of secrets, and names the code that passed them', async () => {
  await stage.addOperator();
  stage.selfCheck = async () => {
    throw new Error('stopped');
  };
  await expect(stage.run()).rejects.toThrow('stopped');
  for (const value of ['first', 'second']) {
    stage.changeSecret(PAYMENTS, `UNUSED_${value}`);
  }
  stage.selfCheck = async () => {
    throw new SetupProblem('payment is wrong', 'Look at it.');
  };
  expect(await stage.run()).toBe(false);
  // Each of the three has this code, and none passed; Cloudflare refuses what has older secrets.
  const [old] = stage.script(PAYMENTS).versions;
  expect(stage.output).toContain(`IS STILL LIVE: ${PAYMENTS} cannot go back to ${old?.id}`);
});

test('deploys schedules and routes, when a change of secrets has given an interrupted upload all requests', async () => {
  const { dnsRecords } = stage.cloudflare.state;
  stage.onAnswer = () => dnsRecords.add('pay.example.com');
  expect(await stage.run()).toBe(false);
  expect(stage.shares(PAYMENTS)).toEqual({ [COMMIT]: 0, [OLD_COMMIT]: 100 });
  stage.onAnswer = () => undefined;
  dnsRecords.delete('pay.example.com');
  stage.changeSecret(PAYMENTS, 'UNUSED');
  expect(await stage.run(), stage.output).toBe(true);
  expect(stage.wrangled.filter((line) => line.startsWith('triggers'))).toHaveLength(2);
});

test('goes back to the same code, when it had all requests before a run that was interrupted', async () => {
  await stage.addOperator();
  await stage.run();
  await stage.run({ act: 'rollback' });
  takeOlderCode();
  stage.selfCheck = async () => {
    throw new Error('stopped');
  };
  await expect(stage.run()).rejects.toThrow('stopped');
  stage.selfCheck = async () => {
    throw new SetupProblem('payment is wrong', 'Look at it.');
  };
  expect(await stage.run()).toBe(false);
  const { deployments, versions } = stage.script(PAYMENTS);
  expect(versions).toHaveLength(3);
  expect(deployments[0]?.versions).toEqual([{ version_id: versions[0]?.id, percentage: 100 }]);
});

test('asks for the next token of a login, when Cloudflare no longer takes the first one', async () => {
  const { token, url, accountId } = cloudflare;
  const path = `/accounts/${accountId}/workers/scripts/${PAYMENTS}/deployments`;
  const client = new Client('expired', url, async () => token);
  expect(await client.get(path)).toMatchObject({ deployments: [{}] });
  const given = new Client('expired', url);
  await expect(given.get(path)).rejects.toThrow('Invalid API Token');
});

test('goes back, when the gateway finds itself wrong', async () => {
  await stage.addOperator();
  stage.selfCheck = async () => {
    throw new SetupProblem('payment is wrong', 'Look at it.');
  };
  expect(await stage.run()).toBe(false);
  expect(stage.output).toContain('payment is wrong');
  expect(stage.shares(PAYMENTS)).toEqual(ALL_OLD);
});

test('says so and goes on, when the gateway does not let the operator in', async () => {
  await stage.addOperator();
  stage.selfCheck = async () => {
    throw new NotChecked('Cloudflare Access requires a sign-in', 'Set CF_ACCESS_CLIENT_ID.');
  };
  expect(await stage.run()).toBe(true);
  expect(stage.output).toContain('NOT CHECKED: Cloudflare Access requires a sign-in');
  expect(stage.shares(PAYMENTS)).toEqual(ALL_NEW);
});

test('deploys the older code with newer secrets, when Cloudflare refuses to go back without them', async () => {
  await stage.run();
  stage.changeSecret(PAYMENTS, 'LINK_SIGNING_KEYS');
  expect(await stage.run({ act: 'rollback' })).toBe(true);
  expect(stage.deployedCommits).toEqual([OLD_COMMIT]);
  expect(stage.output).toContain('Wrangler and the dashboard offer to go back all the same');
});

test('never goes back to the same code with another configuration', async () => {
  await stage.run();
  const [old] = stage.script(PAYMENTS).versions;
  const tag = stage.script(PAYMENTS).versions.at(-1)?.annotations['workers/tag'] ?? '';
  Object.assign(old?.annotations ?? {}, {
    'workers/tag': `${tag.split('-')[0]}-${'f'.repeat(12)}`,
  });
  expect(await stage.run({ act: 'rollback' })).toBe(true);
  expect(stage.shares(PAYMENTS)).toEqual(ALL_NEW);
  expect(stage.shares(BACK_OFFICE)).toEqual(ALL_OLD);
});

test('names the secrets that changed and the commit to deploy, when the older code cannot live with them', async () => {
  await stage.run();
  stage.canDeployCommits = false;
  stage.changeSecret(PAYMENTS, 'LINK_SIGNING_KEYS');
  expect(await stage.run({ act: 'rollback' })).toBe(false);
  expect(stage.output).toContain('an old value of LINK_SIGNING_KEYS');
  // An older deployment file would lack the newest keys.
  expect(stage.output).toContain(
    `git restore --source ${OLD_COMMIT} --staged --worktree -- . ':!deployments'`,
  );
  expect(stage.output).toContain(`run: npm run deploy -- --env ${NAME}`);
});

test('deploys the older commit again after a rollback, so that its secrets can be changed', async () => {
  await stage.run();
  await stage.run({ act: 'rollback' });
  expect(() => stage.changeSecret(PAYMENTS, 'LINK_SIGNING_KEYS')).toThrow('not deployed');

  takeOlderCode();
  expect(await stage.run()).toBe(true);
  // Before this code there is only what was taken back.
  expect(await stage.run({ act: 'rollback' })).toBe(false);
  expect(stage.output).toContain('no version before this one');
  expect(() => stage.changeSecret(PAYMENTS, 'LINK_SIGNING_KEYS')).not.toThrow();
  expect(await stage.run()).toBe(true);
  expect(stage.output).toContain('Nothing to do');
});

/** Gives the folder the older commit. */
function takeOlderCode(): void {
  for (const name of [PAYMENTS, BACK_OFFICE]) {
    const [old, taken] = stage.script(name).versions.map(({ annotations }) => annotations);
    const tags = [taken?.['workers/tag'], old?.['workers/tag']];
    Object.assign(old ?? {}, { 'workers/tag': tags[0] });
    Object.assign(taken ?? {}, { 'workers/tag': tags[1] });
  }
  stage.commit = OLD_COMMIT;
}

/** What a self-check finds that runs in the newest or in the oldest version of both Workers. */
function foundBy(which: 'new' | 'old'): ReadonlyMap<string, string> {
  const index = which === 'new' ? -1 : 0;
  const textOf = (name: string) => `Version ${stage.script(name).versions.at(index)?.id}`;
  return new Map([
    ['payments-worker', textOf(PAYMENTS)],
    ['back-office-worker', textOf(BACK_OFFICE)],
  ]);
}

test('repeats the self-check until the new version has answered', async () => {
  await stage.addOperator();
  const asked: string[] = [];
  stage.selfCheck = async (_origin, _operator, headers) => {
    asked.push(headers['cloudflare-workers-version-overrides'] ?? '');
    return foundBy(asked.length < 3 ? 'old' : 'new');
  };
  expect(await stage.run()).toBe(true);
  // Three for the payments, and one for the back office.
  expect(asked).toHaveLength(4);
  expect(asked.at(-1)).toContain(`${BACK_OFFICE}="${stage.script(BACK_OFFICE).versions[1]?.id}"`);
  expect(stage.output).not.toContain('NOT CHECKED');
});

test('says that only the old version was checked, when the new one never answers', async () => {
  await stage.addOperator();
  stage.selfCheck = async () => foundBy('old');
  expect(await stage.run()).toBe(true);
  expect(stage.output).toContain(`3 self-checks ran on the old version of ${PAYMENTS}`);
});
