import { runBatch } from '../../database.ts';
import { endedSessionCookie, revokeSession } from '../../members/sessions.ts';
import { redirectTo } from '../../ui/answer.ts';
import type { DashboardCall } from '../call.ts';
import { entryIfChanged } from './entries.ts';

/** POST /dashboard/sign-out */
export async function signOut(call: DashboardCall): Promise<Response> {
  const { session, env, nowMs } = call;
  await runBatch(env.DB, [
    revokeSession(session.memberId, session.id, nowMs),
    entryIfChanged(call, {
      action: 'session.revoked',
      target: session.id,
      detail: { signedOut: true },
    }),
  ]);
  return redirectTo(call, '/dashboard/sign-in', { cookies: [endedSessionCookie(call.request)] });
}
