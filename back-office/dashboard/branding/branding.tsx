import { base64FromBytes } from '../../../src/crypto/encoding.ts';
import { colorFrom, LOGO_BYTES_MAX, LOGOS_MAX } from '../../../src/merchants/branding.ts';
import type { BrandingChange } from '../../../src/merchants/change-branding.ts';
import type { DashboardMessages } from '../../i18n/messages.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import { actorOf, type DashboardCall, tenantOf } from '../call.ts';
import { showPage } from '../frame.tsx';
import { BRANDING_PATH } from '../paths.ts';
import { type DashboardRoute, get, post } from '../route.ts';
import { BrandingPage } from './branding-page.tsx';

export const BRANDING_ROUTES: readonly DashboardRoute[] = [
  get(BRANDING_PATH, 'manage', (call) => answerBranding(call)),
  post(`${BRANDING_PATH}/color`, 'manage', (call) =>
    call.form.text('preview') === ''
      ? change(call, { color: call.form.text('color') }, 'color')
      : answerBranding(call, colorFrom(call.form.text('color')) === null ? 'bad_color' : undefined),
  ),
  post(`${BRANDING_PATH}/color/remove`, 'manage', (call) =>
    change(call, { color: null }, 'color_removed'),
  ),
  {
    ...post(`${BRANDING_PATH}/logo`, 'manage', changeLogo),
    // Only a logo can make a form too large to read.
    refuseLarge: (call) => answerBranding(call, 'too_large', 413),
  },
  // Existing payments keep their logo.
  post(`${BRANDING_PATH}/logo/remove`, 'manage', (call) =>
    change(call, { logo: null }, 'logo_removed'),
  ),
];

type BrandingProblem = keyof DashboardMessages['branding']['problem'];

/** The page with the current branding, and with a form's problem if it was rejected. */
async function answerBranding(
  call: DashboardCall,
  problem?: BrandingProblem,
  status = problem === undefined ? 200 : 400,
): Promise<Response> {
  const { color, logo } = await call.payments.settings.branding(call.session.merchantId);
  const logoUrl =
    logo === null ? null : `data:${logo.mediaType};base64,${base64FromBytes(logo.bytes)}`;
  // As typed in a form that was refused or asked for the preview.
  const typed = call.form.text('color') || (problem === 'bad_color' ? '' : (color ?? ''));
  const preview = colorFrom(typed) ?? color;
  const page = <BrandingPage {...{ color, typed, preview, logoUrl }} />;
  return showPage(call, page, { at: BRANDING_PATH, problems: problemsOf(call, problem), status });
}

function problemsOf({ language }: DashboardCall, problem: BrandingProblem | undefined) {
  const texts = DASHBOARD_TEXTS[language].branding.problem;
  const known = {
    ...texts,
    too_large: texts.too_large(LOGO_BYTES_MAX / 1024),
    too_many: texts.too_many(LOGOS_MAX),
  };
  const field = problem === 'bad_color' ? 'color' : 'logo';
  return problem === undefined ? [] : ([[field, known[problem]]] as const);
}

/** POST /dashboard/branding/logo. The bytes determine the image's type. */
async function changeLogo(call: DashboardCall): Promise<Response> {
  const logo = await call.form.file('logo');
  return logo === null ? answerBranding(call, 'missing') : change(call, { logo }, 'logo');
}

async function change(call: DashboardCall, wanted: BrandingChange, done: string) {
  const { changeBranding } = call.payments.settings;
  const problem = await changeBranding(tenantOf(call), actorOf(call), wanted);
  return problem === null ? redirectTo(BRANDING_PATH, { done }) : answerBranding(call, problem);
}
