import { railPageUrl } from '../attempts/rail-page.ts';
import { partHeaders } from '../ui/headers.ts';
import type { LinkCall } from './open-link.ts';
import { checkoutView } from './view.ts';

/** What a waiting page polls: a few bytes instead of a whole page. */
interface PaymentStatus {
  /** Compared with the page's `data-state`: a different one means that the page is out of date. */
  readonly state: string;
  /** By the server's clock; null without a deadline. */
  readonly remainingMs: number | null;
}

/** GET /checkout/:token/status */
export async function showStatus({ env, client, intent }: LinkCall): Promise<Response> {
  const railPage = await railPageUrl(env, client, intent);
  const { tag, remainingMs } = checkoutView(intent, Date.now(), { railPage });
  const status: PaymentStatus = { state: tag, remainingMs };
  return Response.json(status, { headers: partHeaders() });
}
