import { finishDailyRun, runSteps } from '../kit/platform/daily-runs.ts';
import { isRestoring } from '../recovery/incomplete.ts';
import { continueRequests } from './customers/actions.ts';
import { compareManualReceipts } from './payments/receipts.ts';
import { purgeExpired } from './retention/purge.ts';
import { startDailySelfCheck } from './self-check/run.ts';

/** The daily run of the payments plane. Throws in the end when a step has failed. */
export async function runDaily(env: Env): Promise<void> {
  let purged = {};
  await startDailySelfCheck(env);
  await runSteps([
    [
      'purge',
      async () => {
        purged = await purgeExpired(env, Date.now());
      },
    ],
    ['receipts/production', () => compareManualReceipts(env, 'production', Date.now())],
    ['receipts/sandbox', () => compareManualReceipts(env, 'sandbox', Date.now())],
    ['erasures', () => continueErasures(env)],
  ]);
  await finishDailyRun(env.DB, 'purge', purged, Date.now());
}

/** Not during a restore, which has the requests before it has their payments. */
async function continueErasures(env: Env): Promise<void> {
  if (!(await isRestoring(env.DB))) {
    await continueRequests(env, Date.now());
  }
}
