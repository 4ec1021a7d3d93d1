import { colorFrom, LOGO_BYTES_MAX, LOGOS_MAX } from '../../../src/control/merchants/branding.ts';
import type { BrandingChange } from '../../../src/control/merchants/change-branding.ts';
import { BUSINESS_FIELDS, type BusinessField } from '../../../src/engine/domain/merchant.ts';
import { base64FromBytes } from '../../../src/kit/crypto/encoding.ts';
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
  post(`${BRANDING_PATH}/business`, 'manage', changeBusiness),
];

type BrandingProblem = keyof DashboardMessages['branding']['problem'];

type TypedBusiness = Readonly<Record<BusinessField, string>>;

/** The details as typed, and the fields that cannot be stored. */
interface RefusedBusiness {
  readonly typed: TypedBusiness;
  readonly fields: readonly BusinessField[];
}

/** The page with the current settings, and with a form's problems if it was rejected. */
async function answerBranding(
  call: DashboardCall,
  problem?: BrandingProblem,
  status?: number,
  refused?: RefusedBusiness,
): Promise<Response> {
  const { settings } = call.payments;
  const { merchantId } = call.session;
  const [{ color, logo }, known] = await Promise.all([
    settings.branding(merchantId),
    settings.business(merchantId),
  ]);
  const logoUrl =
    logo === null ? null : `data:${logo.mediaType};base64,${base64FromBytes(logo.bytes)}`;
  // What the member typed in a form that was rejected or that asked for the preview.
  const typed = call.form.text('color') || (problem === 'bad_color' ? '' : (color ?? ''));
  const preview = colorFrom(typed) ?? color;
  const business = refused?.typed ?? known;
  const page = <BrandingPage {...{ color, typed, preview, logoUrl, business }} />;
  const texts = DASHBOARD_TEXTS[call.language].branding;
  const problems =
    refused?.fields.map((field) => [field, texts.business[field].problem] as const) ??
    problemsOf(call, problem);
  return showPage(call, page, { at: BRANDING_PATH, problems, status });
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

/** POST /dashboard/branding/business */
async function changeBusiness(call: DashboardCall): Promise<Response> {
  const typed = Object.fromEntries(
    BUSINESS_FIELDS.map((field) => [field, call.form.text(field)]),
  ) as TypedBusiness;
  const { changeBusiness: store } = call.payments.settings;
  const fields = await store(tenantOf(call), actorOf(call), typed);
  return fields.length === 0
    ? redirectTo(BRANDING_PATH, { done: 'business' })
    : answerBranding(call, undefined, undefined, { typed, fields });
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
