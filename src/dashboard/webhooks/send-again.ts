import { auditEntry, auditEntryIfChanged } from '../../audit/log.ts';
import { runBatch } from '../../database.ts';
import { resumeEndpoint } from '../../webhooks/endpoints.ts';
import { forgetSettingsOf } from '../../webhooks/settings.ts';
import { actorOf, type DashboardCall, tenantOf } from '../call.ts';
import { eventPath } from '../paths.ts';
import { RESENDABLE, readEvent } from './event.ts';

export interface SentAgain {
  /**
   * - `paused`: nothing is sent to its endpoint, and the form did not ask to resume that.
   * - `late`: it is on its way, or superseded, by now.
   */
  readonly outcome: 'resent' | 'paused' | 'late';
  /** The event's page, which knows these words. */
  readonly path: string;
}

/**
 * Sends the event that the path names again, from the start of its schedule; a form with `resume`
 * lets its paused endpoint go on in the same step. The object and the audit log cannot change
 * together: the log follows, so that it tells of nothing that has not happened. Null: no such event.
 */
export async function sendAgain(call: DashboardCall): Promise<SentAgain | null> {
  const details = await readEvent(call);
  if (details === null) {
    return null;
  }
  const { client, uniqueId, event, paused } = details;
  const { env, environment, session, nowMs } = call;
  const { sequence, eventId } = event;
  const path = eventPath(environment, { uniqueId, sequence });
  const entry = {
    actor: actorOf(call),
    merchantId: session.merchantId,
    environment,
    atMs: nowMs,
  };
  if (paused !== null) {
    if (!call.form.has('resume')) {
      return { outcome: 'paused', path };
    }
    const { origin } = paused;
    const tenant = tenantOf(call);
    await runBatch(env.DB, [
      resumeEndpoint(tenant, origin),
      auditEntryIfChanged({ ...entry, action: 'webhook.endpoint_resumed', target: origin }),
    ]);
    forgetSettingsOf(tenant);
  }
  if (!(await client.resendEvent(sequence, RESENDABLE))) {
    return { outcome: 'late', path };
  }
  const detail = { uniqueId, sequence };
  await runBatch(env.DB, [
    auditEntry({ ...entry, action: 'event.resent', target: eventId, detail }),
  ]);
  return { outcome: 'resent', path };
}
