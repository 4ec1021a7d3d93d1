import { auditEntryIfChanged } from '../../audit/log.ts';
import { runBatch } from '../../database.ts';
import { actorOf, type DashboardCall } from '../call.ts';
import { redirectTo } from '../response.tsx';
import { endedSessionCookie } from '../session.ts';
import { revokeSession } from './sessions.ts';

/** POST /dashboard/sign-out */
export async function signOut(call: DashboardCall): Promise<Response> {
  const { session, env, nowMs } = call;
  await runBatch(env.DB, [
    revokeSession(session.memberId, session.id, nowMs),
    auditEntryIfChanged({
      actor: actorOf(call),
      merchantId: session.merchantId,
      environment: null,
      action: 'session.revoked',
      target: session.id,
      detail: { signedOut: true },
      atMs: nowMs,
    }),
  ]);
  return redirectTo(call, '/dashboard/sign-in', { cookies: [endedSessionCookie(call.request)] });
}
