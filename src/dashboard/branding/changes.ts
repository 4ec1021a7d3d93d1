import { auditEntry } from '../../audit/log.ts';
import { runBatch } from '../../database.ts';
import type { Branding } from '../../domain/intent.ts';
import { colourFrom, type Logo, logoFrom } from '../../merchants/branding.ts';
import { countOtherLogos, LOGOS_MAX, merchantBranding } from '../../merchants/logo.ts';
import { addLogo, setBranding } from '../../merchants/provision.ts';
import { redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall } from '../call.ts';
import { answerBranding } from './pages.tsx';

/** POST /dashboard/branding/colour. */
export async function changeColour(call: DashboardCall): Promise<Response> {
  const typed = call.form.text('colour');
  const colour = colourFrom(typed);
  return colour === null
    ? answerBranding(call, { colour: typed, problem: 'bad_colour' })
    : change(call, { colour }, null, 'colour');
}

/** POST /dashboard/branding/colour/remove. */
export function removeColour(call: DashboardCall): Promise<Response> {
  return change(call, { colour: null }, null, 'colour_removed');
}

/** POST /dashboard/branding/logo: what the picture is, its bytes say. */
export async function changeLogo(call: DashboardCall): Promise<Response> {
  const bytes = await call.form.file('logo');
  if (bytes === null) {
    return answerBranding(call, { problem: 'missing' });
  }
  const result = await logoFrom(bytes);
  if (result.type === 'refused') {
    return answerBranding(call, { problem: result.reason });
  }
  const { logo } = result;
  const { DB } = call.env;
  if ((await countOtherLogos(DB, call.session.merchantId, logo.digest)) >= LOGOS_MAX) {
    return answerBranding(call, { problem: 'too_many' });
  }
  return change(call, { logoDigest: logo.digest }, logo, 'logo');
}

/** POST /dashboard/branding/logo/remove: payments that exist keep theirs. */
export function removeLogo(call: DashboardCall): Promise<Response> {
  return change(call, { logoDigest: null }, null, 'logo_removed');
}

/** In one batch with its entry in the audit log; what is so already is not told as a change. */
async function change(
  call: DashboardCall,
  changes: Partial<Branding>,
  logo: Logo | null,
  done: string,
): Promise<Response> {
  const { merchantId } = call.session;
  const known = await merchantBranding(call.env.DB, merchantId);
  const next = { ...known, ...changes };
  if (next.colour !== known.colour || next.logoDigest !== known.logoDigest) {
    await runBatch(call.env.DB, [
      ...(logo === null ? [] : [addLogo(merchantId, logo, call.nowMs)]),
      setBranding(merchantId, changes),
      auditEntry({
        actor: actorOf(call),
        merchantId,
        environment: null,
        action: 'branding.changed',
        target: null,
        detail: changes,
        atMs: call.nowMs,
      }),
    ]);
  }
  return redirectTo(call, '/dashboard/branding', { done });
}
