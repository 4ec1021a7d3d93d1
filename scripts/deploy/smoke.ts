import { VERSION_HEADER } from '../../src/kit/http/common-headers.ts';
import { SetupProblem } from '../deployment/explain.ts';
import type { Plane } from '../deployment/keys.ts';
import { readOperatorsFile } from '../deployment/operators-file.ts';
import { NotChecked } from '../setup/self-check.ts';
import type { DeployRun } from './context.ts';

/** A deployment reaches Cloudflare's places within seconds. */
const PROPAGATES_WITHIN_MS = 60_000;
const POLL_MS = 2_000;

/** What a version answers before it gets customers' requests. */
const PATHS: Readonly<Record<Plane, readonly string[]>> = {
  payments: ['/api/v1/payment/webhook-keys', '/api/v1/payment/sandbox/webhook-keys'],
  backOffice: ['/', '/dashboard/sign-in', '/llms.txt'],
};

/** The new version answers wrongly, or not at all. */
export class SmokeFailure extends Error {
  override readonly name = 'SmokeFailure';
}

/**
 * Sends requests that only the new version may answer, and proves by a header that it did: Cloudflare
 * ignores the wish for a version outside of the current deployment.
 */
export async function smokeTest(
  run: DeployRun,
  plane: Plane,
  name: string,
  versionId: string,
): Promise<void> {
  const origin = run.deployment.addresses[plane];
  for (const path of PATHS[plane]) {
    await expectAnswer(run, `${origin}${path}`, name, versionId);
  }
}

async function expectAnswer(
  { fetch, wait }: DeployRun,
  url: string,
  name: string,
  versionId: string,
): Promise<void> {
  const headers = asking(name, versionId);
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const answer = await fetch(url, { headers, redirect: 'manual' }).catch((error: unknown) =>
      String(error),
    );
    const found = typeof answer === 'string' ? answer : answer.headers.get(VERSION_HEADER);
    if (typeof answer !== 'string') {
      await answer.body?.cancel();
      if (found === versionId) {
        if (answer.ok) {
          return;
        }
        throw new SmokeFailure(`${url} answered ${answer.status}`);
      }
    }
    if (waitedMs >= PROPAGATES_WITHIN_MS) {
      throw new SmokeFailure(`${url} was not answered by the new version, but by ${found}`);
    }
    await wait(POLL_MS);
  }
}

/** Lets a version answer, if it is in the current deployment. */
function asking(name: string, versionId: string): Readonly<Record<string, string>> {
  return { 'cloudflare-workers-version-overrides': `${name}="${versionId}"` };
}

/** The check that names the version of its Worker. */
const NAMING: Readonly<Record<Plane, string>> = {
  payments: 'payments-worker',
  backOffice: 'back-office-worker',
};
/** The gateway starts one a minute, and a deployment reaches all places within seconds. */
const SELF_CHECKS_MAX = 3;

/**
 * The gateway's self-check, with a payment in its sandbox, where an operator's secret is here. No
 * request can choose the version that the back office calls: it is repeated until it meets the new one.
 */
export async function selfCheck(
  run: DeployRun,
  plane: Plane,
  name: string,
  versionId: string,
): Promise<void> {
  const { deployment, options, terminal } = run;
  const operator = await readOperatorsFile(options.operatorsFile);
  if (operator === null) {
    terminal.say(`  No self-check: no operator's secret is in ${options.operatorsFile}.`);
    return;
  }
  try {
    for (let count = 1; count <= SELF_CHECKS_MAX; count += 1) {
      const { backOffice } = deployment.addresses;
      const found = await run.selfCheck(backOffice, operator, asking(name, versionId));
      if (found.get(NAMING[plane])?.includes(versionId)) {
        terminal.say(`  Self-check: all ${found.size} checks passed.`);
        return;
      }
      if (count < SELF_CHECKS_MAX) {
        terminal.say(
          `  Self-check: it met the old version of ${name}, so it runs again within a minute …`,
        );
      }
    }
    terminal.say(
      `  NOT CHECKED: ${SELF_CHECKS_MAX} self-checks ran on the old version of ${name}.`,
    );
  } catch (error) {
    if (error instanceof NotChecked) {
      terminal.say(`  NOT CHECKED: ${error.problem}. ${error.remedy}`);
      return;
    }
    if (error instanceof SetupProblem) {
      throw new SmokeFailure(error.problem);
    }
    throw error;
  }
}
