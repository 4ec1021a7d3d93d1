import { base64FromBytes } from '../../../src/crypto/encoding.ts';
import { runBatch } from '../../../src/database.ts';
import type { Branding } from '../../../src/domain/intent.ts';
import { colorFrom, type Logo, logoFrom } from '../../../src/merchants/branding.ts';
import {
  countOtherLogos,
  LOGOS_MAX,
  merchantBranding,
  merchantLogo,
} from '../../../src/merchants/logo.ts';
import { addLogo, setBranding } from '../../../src/merchants/provision.ts';
import { answerPage, redirectTo } from '../../ui/answer.ts';
import { audited } from '../audited.ts';
import { type DashboardCall, shownAt } from '../call.ts';
import { BRANDING_PATH } from '../paths.ts';
import { BrandingPage, type RefusedBranding } from './branding-page.tsx';

/** GET /dashboard/branding. */
export function showBranding(call: DashboardCall): Promise<Response> {
  return answerBranding(call, {});
}

/** The page with the current branding, and with a form's problem if it was rejected. */
async function answerBranding(
  call: DashboardCall,
  refused: RefusedBranding,
  status = refused.problem === undefined ? 200 : 400,
): Promise<Response> {
  const { merchantId } = call.session;
  const { color, logoDigest } = await merchantBranding(call.env.DB, merchantId);
  const logo = logoDigest === null ? null : await merchantLogo(call.env, merchantId, logoDigest);
  const logoUrl =
    logo === null ? null : `data:${logo.mediaType};base64,${base64FromBytes(logo.bytes)}`;
  const page = (
    <BrandingPage
      call={shownAt(call, BRANDING_PATH)}
      color={color}
      logoUrl={logoUrl}
      refused={refused}
    />
  );
  return answerPage(call, page, { status });
}

/** POST /dashboard/branding/color. */
export async function changeColor(call: DashboardCall): Promise<Response> {
  const typed = call.form.text('color');
  const color = colorFrom(typed);
  return color === null
    ? answerBranding(call, { color: typed, problem: 'bad_color' })
    : change(call, { color }, null, 'color');
}

/** POST /dashboard/branding/color/remove. */
export function removeColor(call: DashboardCall): Promise<Response> {
  return change(call, { color: null }, null, 'color_removed');
}

/** POST /dashboard/branding/logo. The bytes determine the image's type. */
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

/** For a form that is too large to read: only a logo can make it so. */
export function refuseLargeLogo(call: DashboardCall): Promise<Response> {
  return answerBranding(call, { problem: 'too_large' }, 413);
}

/** POST /dashboard/branding/logo/remove. Existing payments keep their logo. */
export function removeLogo(call: DashboardCall): Promise<Response> {
  return change(call, { logoDigest: null }, null, 'logo_removed');
}

/** Without a difference, no audit entry is written. */
async function change(
  call: DashboardCall,
  changes: Partial<Branding>,
  logo: Logo | null,
  done: string,
): Promise<Response> {
  const { merchantId } = call.session;
  const known = await merchantBranding(call.env.DB, merchantId);
  const next = { ...known, ...changes };
  if (next.color !== known.color || next.logoDigest !== known.logoDigest) {
    const act = { action: 'branding.changed', target: null, detail: changes } as const;
    await runBatch(call.env.DB, [
      ...(logo === null ? [] : [addLogo(merchantId, logo, call.nowMs)]),
      setBranding(merchantId, changes),
      audited(call, { ...act, environment: null }),
    ]);
  }
  return redirectTo(BRANDING_PATH, { done });
}
