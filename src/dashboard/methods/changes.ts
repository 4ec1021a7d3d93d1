import { auditEntryIfChanged } from '../../audit/log.ts';
import { runBatch } from '../../database.ts';
import { METHODS } from '../../domain/method.ts';
import { methodSettings, setMethodEnabled } from '../../merchants/methods.ts';
import { redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall, tenantOf } from '../call.ts';
import { noticePage } from '../notices.tsx';

/** POST …/methods/:method/enable. */
export function enableMethod(call: DashboardCall): Promise<Response> {
  return switchMethod(call, true);
}

/** POST …/methods/:method/disable: for new payments only; those that exist keep it. */
export function disableMethod(call: DashboardCall): Promise<Response> {
  return switchMethod(call, false);
}

async function switchMethod(call: DashboardCall, enabled: boolean): Promise<Response> {
  const tenant = tenantOf(call);
  const method = METHODS.find((known) => known === call.params.method);
  const { methods } = await methodSettings(call.env.DB, tenant);
  const offered = methods.some((state) => state.method === method && state.offered);
  if (method === undefined || !offered) {
    return noticePage(call, 'not_found');
  }
  await runBatch(call.env.DB, [
    setMethodEnabled(tenant, method, enabled),
    auditEntryIfChanged({
      actor: actorOf(call),
      ...tenant,
      action: enabled ? 'method.enabled' : 'method.disabled',
      target: method,
      atMs: call.nowMs,
    }),
  ]);
  const done = enabled ? 'enabled' : 'disabled';
  return redirectTo(call, `/dashboard/${call.environment}/methods`, { done });
}
