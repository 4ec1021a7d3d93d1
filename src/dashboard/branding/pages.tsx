import { base64FromBytes } from '../../crypto/encoding.ts';
import type { LogoRefusal } from '../../merchants/branding.ts';
import { merchantBranding, merchantLogo } from '../../merchants/logo.ts';
import { answerPage } from '../../ui/answer.ts';
import type { DashboardCall } from '../call.ts';
import { BrandingPage } from './branding-page.tsx';

/** Why a colour or a logo was not taken. */
export type BrandingProblem = LogoRefusal | 'bad_colour' | 'missing' | 'too_many';

export interface RefusedBranding {
  /** As it was typed. */
  readonly colour?: string;
  readonly problem?: BrandingProblem;
}

/** GET /dashboard/branding. */
export function showBranding(call: DashboardCall): Promise<Response> {
  return answerBranding(call, {});
}

/** The page as things are, after a form that was not carried out with why. */
export async function answerBranding(
  call: DashboardCall,
  refused: RefusedBranding,
): Promise<Response> {
  const { merchantId } = call.session;
  const { colour, logoDigest } = await merchantBranding(call.env.DB, merchantId);
  const logo = logoDigest === null ? null : await merchantLogo(call.env, merchantId, logoDigest);
  const logoUrl =
    logo === null ? null : `data:${logo.mediaType};base64,${base64FromBytes(logo.bytes)}`;
  const page = <BrandingPage call={call} colour={colour} logoUrl={logoUrl} refused={refused} />;
  return answerPage(call, page, { status: refused.problem === undefined ? 200 : 400 });
}
