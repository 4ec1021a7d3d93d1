import { redirectTo } from '../ui/answer.ts';
import type { DashboardCall } from './call.ts';

/** GET /dashboard: to the payments of the environment looked at last. */
export async function showHome(call: DashboardCall): Promise<Response> {
  return redirectTo(call, `/dashboard/${call.environment}/payments`);
}
