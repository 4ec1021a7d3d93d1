import type { Areas } from '../../../src/control/rpc/areas.ts';
import type { LinkSign } from '../../../src/control/rpc/links.ts';
import { closureOf } from '../../../src/engine/links/payment-link.ts';
import { base64FromBytes } from '../../../src/kit/crypto/encoding.ts';
import { found } from '../../../src/kit/http/problem.ts';
import { moneyText } from '../../../src/kit/i18n/money-text.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Message, Untrusted } from '../../ui/elements.tsx';
import { Navigation } from '../../ui/page.tsx';
import { type DashboardCall, may, tenantOf, useCall } from '../call.ts';
import { Frame, showPage } from '../frame.tsx';
import { BRANDING_PATH, linksPath, queryFrom } from '../paths.ts';
import { codePng, codeSvg } from './code-image.ts';

/** The sign of a link: its code for a phone's camera, and the bank's for bank apps. */

const PAPERS = ['a6', 'a4'] as const;
type Paper = (typeof PAPERS)[number];

/** Both on every sign: customers read one of them. */
const LANGUAGES = ['am', 'en'] as const;

type Branding = Awaited<ReturnType<Areas['settings']['branding']>>;

async function signOf(call: DashboardCall): Promise<LinkSign> {
  const { sign } = call.payments.links;
  return found(await sign(tenantOf(call), call.params.link ?? '', call.url.origin));
}

/** GET …/sign */
export async function showSign(call: DashboardCall): Promise<Response> {
  const [sign, branding] = await Promise.all([
    signOf(call),
    call.payments.settings.branding(call.session.merchantId),
  ]);
  const asked = call.url.searchParams.get('paper');
  const paper = PAPERS.find((one) => one === asked) ?? PAPERS[0];
  return showPage(call, <SignPage {...sign} logo={branding.logo} paper={paper} />);
}

/** GET …/code.svg */
export async function downloadSvg(call: DashboardCall): Promise<Response> {
  const { link, modules } = await signOf(call);
  const svg = new Blob([codeSvg(modules)], { type: 'image/svg+xml' });
  return answerImage(svg, `${link.code}.svg`);
}

/** GET …/code.png */
export async function downloadPng(call: DashboardCall): Promise<Response> {
  const { link, modules } = await signOf(call);
  return answerImage(await codePng(modules), `${link.code}.png`);
}

function answerImage(image: Blob, name: string): Response {
  return new Response(image, {
    headers: {
      'content-disposition': `attachment; filename="link-${name}"`,
      'cache-control': 'no-store',
    },
  });
}

type SignProps = LinkSign & Pick<Branding, 'logo'> & { readonly paper: Paper };

function SignPage(props: SignProps) {
  const { link, bank, paper } = props;
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).links;
  const path = linksPath(call.environment, `/${link.code}`);
  return (
    <Frame
      title={text.signTitle}
      active="links"
      head={{ back: { to: path, text: text.link }, lead: text.signLead }}
    >
      {closureOf(link, call.nowMs) !== null && <Message tone="warning">{text.signClosed}</Message>}
      <Navigation
        class="segments"
        label={text.paper}
        links={PAPERS.map((one) => ({
          href: `${path}/sign?${queryFrom({ paper: one })}`,
          text: text.papers[one],
          isCurrent: one === paper,
        }))}
      />
      <Sign {...props} />
      <div class="buttons">
        <button type="button" class="primary" hidden data-print>
          {text.print}
        </button>
        <a class="button" href={`${path}/code.png`} download>
          PNG
        </a>
        <a class="button" href={`${path}/code.svg`} download>
          SVG
        </a>
      </div>
      {call.environment === 'production' && (
        <p class="hint">
          {bank === null ? text.noBankCode : text.bankCodeNote}{' '}
          {bank === null && may(call, 'manage') && (
            <a href={`${BRANDING_PATH}#bank-code`}>{text.addBankCode}</a>
          )}
        </p>
      )}
    </Frame>
  );
}

/** What is printed: black on white, in Amharic and English whatever the member reads. */
function Sign({ link, url, modules, bank, logo, paper }: SignProps) {
  const { environment, session } = useCall();
  const text = useTexts(DASHBOARD_TEXTS).links;
  const { locale } = useTexts(CHECKOUT_TEXTS);
  const { price, currency } = link;
  return (
    <section class={`sign sign-${paper}`} aria-label={text.signTitle}>
      <div class="sign-head">
        {logo && (
          <img src={`data:${logo.mediaType};base64,${base64FromBytes(logo.bytes)}`} alt="" />
        )}
        <p>
          <Untrusted text={session.merchantName} />
        </p>
      </div>
      <p class="sign-title">
        <Untrusted text={link.title} />
        {price.kind === 'fixed' && (
          <strong class="whole">{moneyText(price.amountMinor, currency, locale)}</strong>
        )}
      </p>
      <BothLanguages name="scan" />
      <div class="sign-codes">
        <Code modules={modules} name={bank === null ? null : 'camera'} label={url} />
        {bank && <Code modules={bank.modules} name="bankApp" label={text.onSign.bankApp} />}
      </div>
      <p class="sign-url">
        {url.replace(/^https?:\/\//, '')}
        {bank && (
          <span>
            {text.onSign.bankApp}:{' '}
            <Untrusted text={`${bank.otherName ?? bank.name}, ${bank.city}`} />
          </span>
        )}
      </p>
      {environment === 'sandbox' && <BothLanguages name="test" />}
    </section>
  );
}

type SignText = 'scan' | 'camera' | 'bankApp' | 'test';

function BothLanguages({ name }: { readonly name: SignText }) {
  return (
    <p class={`sign-${name}`}>
      {LANGUAGES.map((language) => (
        <span lang={language}>{DASHBOARD_TEXTS[language].links.onSign[name]}</span>
      ))}
    </p>
  );
}

/** A code, and below it which app reads it; null: the sign has only this. */
function Code(props: {
  readonly modules: LinkSign['modules'];
  readonly name: SignText | null;
  /** What the code leads to. */
  readonly label: string;
}) {
  const { modules, name, label } = props;
  return (
    <div class="sign-code">
      <img src={`data:image/svg+xml,${encodeURIComponent(codeSvg(modules))}`} alt={label} />
      {name && <BothLanguages name={name} />}
    </div>
  );
}
