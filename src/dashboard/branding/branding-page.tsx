import { type BackOfficeLanguage, DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { LOGO_BYTES_MAX } from '../../merchants/branding.ts';
import { LOGOS_MAX } from '../../merchants/logo.ts';
import { Field, Message } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
import { ButtonForm, CsrfField } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import type { RefusedBranding } from './pages.tsx';
import { Preview } from './preview.tsx';

const LOGO_KIBIBYTES_MAX = LOGO_BYTES_MAX / 1024;

interface BrandingProps {
  readonly call: DashboardCall;
  /** `#rrggbb`, or null for the pages' own. */
  readonly colour: string | null;
  /** The picture itself, as a data: URL. */
  readonly logoUrl: string | null;
  readonly refused: RefusedBranding;
}

/** The merchant's colour and logo on the customers' pages, as they will look. */
export function BrandingPage(props: BrandingProps) {
  const { call, colour, logoUrl, refused } = props;
  const text = DASHBOARD_TEXTS[call.language].branding;
  return (
    <Frame call={call} title={text.title} active="branding">
      <Done call={call} />
      {refused.problem !== undefined && (
        <Message tone="bad">
          <p>{DASHBOARD_TEXTS[call.language].frame.problemTitle}</p>
          <p>
            <a href={refused.problem === 'bad_colour' ? '#colour' : '#logo'}>
              {brandingProblems(call.language)[refused.problem]}
            </a>
          </p>
        </Message>
      )}
      <p>{text.lead}</p>
      <div class="cards">
        <section class="card" aria-labelledby="preview">
          <h2 id="preview">{text.previewTitle}</h2>
          <Preview call={call} colour={colour} logoUrl={logoUrl} />
          <p class="small quiet">{text.previewNote}</p>
        </section>
        {!call.session.isSuspended && (
          <>
            <ColourCard {...props} />
            <LogoCard {...props} />
          </>
        )}
      </div>
    </Frame>
  );
}

const DONE = ['colour', 'colour_removed', 'logo', 'logo_removed'] as const;

function Done({ call }: { readonly call: DashboardCall }) {
  const word = DONE.find((known) => known === call.url.searchParams.get('done'));
  return word === undefined ? null : (
    <Message tone="good">{DASHBOARD_TEXTS[call.language].branding.done[word]}</Message>
  );
}

/** Where the colour picker begins when there is no colour yet: our own accent. */
const FIRST_COLOUR = '#0b6b4b';

function ColourCard({ call, colour, refused }: BrandingProps) {
  const text = DASHBOARD_TEXTS[call.language].branding;
  const isRefused = refused.problem === 'bad_colour';
  return (
    <section class="card" aria-labelledby="colour-title">
      <h2 id="colour-title">{text.colourTitle}</h2>
      <form class="form" method="post" action="/dashboard/branding/colour">
        <CsrfField session={call.session} />
        <Field
          id="colour"
          label={text.colour}
          hint={text.colourHint}
          error={isRefused ? text.problem.bad_colour : null}
        >
          {(attributes) => (
            <div class="colour-row">
              <input
                type="text"
                name="colour"
                value={refused.colour ?? colour ?? ''}
                required
                autocomplete="off"
                spellcheck={false}
                {...attributes}
              />
              <input
                type="color"
                hidden
                value={colour ?? FIRST_COLOUR}
                data-picks="colour"
                aria-label={text.picker}
              />
            </div>
          )}
        </Field>
        <div class="buttons">
          <button class="primary" type="submit">
            {text.saveColour}
          </button>
        </div>
      </form>
      {colour !== null && (
        <ButtonForm
          call={call}
          action="/dashboard/branding/colour/remove"
          label={text.removeColour}
        />
      )}
    </section>
  );
}

function LogoCard({ call, logoUrl, refused }: BrandingProps) {
  const text = DASHBOARD_TEXTS[call.language].branding;
  const { problem } = refused;
  return (
    <section class="card" aria-labelledby="logo-title">
      <h2 id="logo-title">{text.logoTitle}</h2>
      <form
        class="form"
        method="post"
        action="/dashboard/branding/logo"
        enctype="multipart/form-data"
      >
        <CsrfField session={call.session} />
        <Field
          id="logo"
          label={text.logo}
          hint={text.logoHint(LOGO_KIBIBYTES_MAX)}
          error={
            problem === undefined || problem === 'bad_colour'
              ? null
              : brandingProblems(call.language)[problem]
          }
        >
          {(attributes) => (
            <input
              type="file"
              name="logo"
              accept="image/png,image/webp,image/jpeg"
              required
              {...attributes}
            />
          )}
        </Field>
        <div class="buttons">
          <button class="primary" type="submit">
            {text.saveLogo}
          </button>
        </div>
      </form>
      {logoUrl !== null && (
        <ButtonForm call={call} action="/dashboard/branding/logo/remove" label={text.removeLogo} />
      )}
    </section>
  );
}

function brandingProblems(language: BackOfficeLanguage) {
  const { problem } = DASHBOARD_TEXTS[language].branding;
  return {
    ...problem,
    too_large: problem.too_large(LOGO_KIBIBYTES_MAX),
    too_many: problem.too_many(LOGOS_MAX),
  };
}
