import { type BackOfficeLanguage, DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { LOGO_BYTES_MAX, type LogoRefusal } from '../../merchants/branding.ts';
import { LOGOS_MAX } from '../../merchants/logo.ts';
import { DoneMessage, Field, ProblemList, Section } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
import { ButtonForm, PostForm } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { BRANDING_PATH } from '../paths.ts';
import { Preview } from './preview.tsx';

const LOGO_KIBIBYTES_MAX = LOGO_BYTES_MAX / 1024;

/** Why a colour or a logo was refused. */
type BrandingProblem = LogoRefusal | 'bad_colour' | 'missing' | 'too_many';

export interface RefusedBranding {
  /** As typed. */
  readonly colour?: string;
  readonly problem?: BrandingProblem;
}

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
  const { call, colour, logoUrl } = props;
  const { problem } = props.refused;
  const text = DASHBOARD_TEXTS[call.language].branding;
  return (
    <Frame call={call} title={text.title} active="branding">
      <DoneMessage call={call} texts={text.done} />
      <ProblemList
        call={call}
        problems={problem === undefined ? [] : [summary(call.language, problem)]}
      />
      <p>{text.lead}</p>
      <div class="cards">
        <Section id="preview" title={text.previewTitle}>
          <Preview call={call} colour={colour} logoUrl={logoUrl} />
          <p class="small quiet">{text.previewNote}</p>
        </Section>
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

function summary(language: BackOfficeLanguage, problem: BrandingProblem) {
  const href = problem === 'bad_colour' ? '#colour' : '#logo';
  return [href, brandingProblems(language)[problem]] as const;
}

/** Where the colour picker begins when there is no colour yet: our own accent. */
const FIRST_COLOUR = '#0b6b4b';

function ColourCard({ call, colour, refused }: BrandingProps) {
  const text = DASHBOARD_TEXTS[call.language].branding;
  const isRefused = refused.problem === 'bad_colour';
  return (
    <Section id="colour-title" title={text.colourTitle}>
      <PostForm call={call} action={`${BRANDING_PATH}/colour`} class="form">
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
      </PostForm>
      {colour !== null && (
        <ButtonForm
          call={call}
          action={`${BRANDING_PATH}/colour/remove`}
          label={text.removeColour}
        />
      )}
    </Section>
  );
}

function LogoCard({ call, logoUrl, refused }: BrandingProps) {
  const text = DASHBOARD_TEXTS[call.language].branding;
  const { problem } = refused;
  const isRefused = problem !== undefined && problem !== 'bad_colour';
  return (
    <Section id="logo-title" title={text.logoTitle}>
      <PostForm
        call={call}
        action={`${BRANDING_PATH}/logo`}
        class="form"
        enctype="multipart/form-data"
      >
        <Field
          id="logo"
          label={text.logo}
          hint={text.logoHint(LOGO_KIBIBYTES_MAX)}
          error={isRefused ? brandingProblems(call.language)[problem] : null}
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
      </PostForm>
      {logoUrl !== null && (
        <ButtonForm call={call} action={`${BRANDING_PATH}/logo/remove`} label={text.removeLogo} />
      )}
    </Section>
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
