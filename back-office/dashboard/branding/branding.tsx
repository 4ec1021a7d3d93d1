import { type BankCodeFault, readBankCode } from '../../../src/control/merchants/bank-code.ts';
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
import { type Asked, confirmedPost } from '../people/confirmation.ts';
import { type DashboardRoute, get, post } from '../route.ts';
import type { UnconfirmedBankCode } from './bank-code.tsx';
import { BrandingPage } from './branding-page.tsx';

export const BRANDING_ROUTES: readonly DashboardRoute[] = [
  get(BRANDING_PATH, 'manage', (call) => answerBranding(call)),
  post(`${BRANDING_PATH}/color`, 'manage', (call) =>
    call.form.text('preview') === ''
      ? change(call, { color: call.form.text('color') }, 'color')
      : answerBranding(call, {
          problem: colorFrom(call.form.text('color')) === null ? 'bad_color' : undefined,
        }),
  ),
  post(`${BRANDING_PATH}/color/remove`, 'manage', (call) =>
    change(call, { color: null }, 'color_removed'),
  ),
  {
    ...post(`${BRANDING_PATH}/logo`, 'manage', changeLogo),
    // Only a logo can make a form too large to read.
    refuseLarge: (call) => answerBranding(call, { problem: 'too_large', status: 413 }),
  },
  // Existing payments keep their logo.
  post(`${BRANDING_PATH}/logo/remove`, 'manage', (call) =>
    change(call, { logo: null }, 'logo_removed'),
  ),
  post(`${BRANDING_PATH}/business`, 'manage', changeBusiness),
  ...confirmedPost(`${BRANDING_PATH}/bank-code`, 'manage', 'bank-code', readBankCodeForm),
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
  {
    problem,
    status,
    refused,
    bankCode = null,
  }: {
    readonly problem?: BrandingProblem | undefined;
    readonly status?: number;
    readonly refused?: RefusedBusiness;
    readonly bankCode?: UnconfirmedBankCode | BankCodeFault | null;
  } = {},
): Promise<Response> {
  const { settings } = call.payments;
  const { merchantId } = call.session;
  const [{ color, logo }, known, storedBankCode] = await Promise.all([
    settings.branding(merchantId),
    settings.business(merchantId),
    settings.bankCode(merchantId),
  ]);
  const logoUrl =
    logo === null ? null : `data:${logo.mediaType};base64,${base64FromBytes(logo.bytes)}`;
  // What the member typed in a form that was rejected or that asked for the preview.
  const typed = call.form.text('color') || (problem === 'bad_color' ? '' : (color ?? ''));
  const preview = colorFrom(typed) ?? color;
  const business = refused?.typed ?? known;
  const isWrong = bankCode !== null && 'kind' in bankCode;
  const bank = {
    stored: storedBankCode,
    typed: call.form.text('bankCode'),
    unconfirmed: isWrong ? null : bankCode,
  };
  const page = <BrandingPage {...{ color, typed, preview, logoUrl, business, bank }} />;
  const texts = DASHBOARD_TEXTS[call.language].branding;
  const problems = isWrong
    ? ([['bankCode', bankCodeProblem(call, bankCode)]] as const)
    : (refused?.fields.map((field) => [field, texts.business[field].problem] as const) ??
      problemsOf(call, problem));
  return showPage(call, page, { at: BRANDING_PATH, problems, status });
}

function problemsOf({ language }: DashboardCall, problem: BrandingProblem | undefined) {
  const texts = DASHBOARD_TEXTS[language].branding.problem;
  const known = {
    ...texts,
    too_large: texts.too_large(LOGO_BYTES_MAX / 1024),
    too_many: texts.too_many(LOGOS_MAX),
  };
  const fields = { bad_color: 'color', unconfirmed: 'bankCode' } as const;
  const field = (problem && fields[problem as keyof typeof fields]) ?? 'logo';
  return problem === undefined ? [] : ([[field, known[problem]]] as const);
}

/**
 * POST /dashboard/branding/bank-code. The member first sees what the code says. Their passkey confirms
 * it, because customers' money goes where the code says.
 */
async function readBankCodeForm(call: DashboardCall): Promise<Asked> {
  const text = call.form.text('bankCode').trim();
  const code = readBankCode(text);
  const isStored = !('kind' in code) && code.name === call.form.text('confirmedName');
  return {
    action: isStored ? [text] : null,
    run: () => changeBankCode(call),
    refuse: () => answerBranding(call, { problem: 'unconfirmed', status: 403 }),
  };
}

async function changeBankCode(call: DashboardCall): Promise<Response> {
  const { changeBankCode: store } = call.payments.settings;
  const typed = call.form.text('bankCode');
  const changed = await store(tenantOf(call), actorOf(call), typed, call.form.get('confirmedName'));
  switch (changed.type) {
    case 'changed':
      return redirectTo(BRANDING_PATH, { done: typed === '' ? 'bank_code_removed' : 'bank_code' });
    case 'wrong':
      return answerBranding(call, { bankCode: changed.fault });
    case 'unconfirmed':
      return answerBranding(call, { bankCode: changed });
  }
}

function bankCodeProblem({ language }: DashboardCall, fault: BankCodeFault): string {
  const texts = DASHBOARD_TEXTS[language].branding.bankCode.problem;
  return fault.kind === 'field' ? texts.field(fault.field) : texts[fault.kind];
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
    : answerBranding(call, { refused: { typed, fields } });
}

/** POST /dashboard/branding/logo. The bytes determine the image's type. */
async function changeLogo(call: DashboardCall): Promise<Response> {
  const logo = await call.form.file('logo');
  return logo === null
    ? answerBranding(call, { problem: 'missing' })
    : change(call, { logo }, 'logo');
}

async function change(call: DashboardCall, wanted: BrandingChange, done: string) {
  const { changeBranding } = call.payments.settings;
  const problem = await changeBranding(tenantOf(call), actorOf(call), wanted);
  return problem === null ? redirectTo(BRANDING_PATH, { done }) : answerBranding(call, { problem });
}
