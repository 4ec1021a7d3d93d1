import { errorText, log } from '../src/kit/platform/log.ts';
import { tellMinutely } from '../src/kit/platform/minutely.ts';
import type { BackOfficeEnv } from './env.ts';
import { paymentsPlane } from './payments-plane.ts';

/** Tells the operator's alerts of a sign-in with wrong credentials. Never throws. */
export function tellRefusedSignIn(
  env: BackOfficeEnv,
  who: 'operators' | 'members',
  nowMs: number,
): Promise<void> {
  return tellMinutely(`sign_ins_refused ${who}`, nowMs, async (count) => {
    try {
      await paymentsPlane(env).alerts.refuseSignIns(who, count);
      return true;
    } catch (error) {
      log('warn', 'refused_sign_ins_not_told', { error: errorText(error) });
      return false;
    }
  });
}
