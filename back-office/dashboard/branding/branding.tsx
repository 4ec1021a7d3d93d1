import { base64FromBytes } from '../../../src/crypto/encoding.ts';
import type { BrandingChange } from '../../../src/merchants/change-branding.ts';
import { answerPage, redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall, shownAt, tenantOf } from '../call.ts';
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
  const { color, logo } = await call.payments.settings.branding(call.session.merchantId);
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
  const color = call.form.text('color');
  return change(call, { color }, 'color', { color });
}

/** POST /dashboard/branding/color/remove. */
export function removeColor(call: DashboardCall): Promise<Response> {
  return change(call, { color: null }, 'color_removed');
}

/** POST /dashboard/branding/logo. The bytes determine the image's type. */
export async function changeLogo(call: DashboardCall): Promise<Response> {
  const logo = await call.form.file('logo');
  return logo === null
    ? answerBranding(call, { problem: 'missing' })
    : change(call, { logo }, 'logo');
}

/** For a form that is too large to read: only a logo can make it so. */
export function refuseLargeLogo(call: DashboardCall): Promise<Response> {
  return answerBranding(call, { problem: 'too_large' }, 413);
}

/** POST /dashboard/branding/logo/remove. Existing payments keep their logo. */
export function removeLogo(call: DashboardCall): Promise<Response> {
  return change(call, { logo: null }, 'logo_removed');
}

async function change(
  call: DashboardCall,
  wanted: BrandingChange,
  done: string,
  typed: Pick<RefusedBranding, 'color'> = {},
): Promise<Response> {
  const { changeBranding } = call.payments.settings;
  const problem = await changeBranding(tenantOf(call), actorOf(call), wanted);
  return problem === null
    ? redirectTo(BRANDING_PATH, { done })
    : answerBranding(call, { ...typed, problem });
}
