import { LOGO_BYTES_MAX, LOGOS_MAX } from '../../../src/merchants/branding.ts';
import type { BrandingRefusal } from '../../../src/merchants/change-branding.ts';
import { type BackOfficeLanguage, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { DoneMessage, Field, ProblemList, Section } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
import { ButtonForm, PostForm } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { BRANDING_PATH } from '../paths.ts';
import { Preview } from './preview.tsx';

const LOGO_KIBIBYTES_MAX = LOGO_BYTES_MAX / 1024;

/** Why a color or a logo was rejected. */
type BrandingProblem = BrandingRefusal | 'missing';

export interface RefusedBranding {
  /** As typed. */
  readonly color?: string;
  readonly problem?: BrandingProblem;
}

interface BrandingProps {
  readonly call: DashboardCall;
  /** `#rrggbb`, or null for the default. */
  readonly color: string | null;
  /** The image as a data: URL. */
  readonly logoUrl: string | null;
  readonly refused: RefusedBranding;
}

/** The merchant's color and logo, with a preview of the customers' pages. */
export function BrandingPage(props: BrandingProps) {
  const { call, color, logoUrl } = props;
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
          <Preview call={call} color={color} logoUrl={logoUrl} />
          <p class="small quiet">{text.previewNote}</p>
        </Section>
        {!call.session.isSuspended && (
          <>
            <ColorCard {...props} />
            <LogoCard {...props} />
          </>
        )}
      </div>
    </Frame>
  );
}

function summary(language: BackOfficeLanguage, problem: BrandingProblem) {
  const href = problem === 'bad_color' ? '#color' : '#logo';
  return [href, brandingProblems(language)[problem]] as const;
}

/** The color picker's first color when none is set: our own accent. */
const FIRST_COLOR = '#0b6b4b';

function ColorCard({ call, color, refused }: BrandingProps) {
  const text = DASHBOARD_TEXTS[call.language].branding;
  const isRefused = refused.problem === 'bad_color';
  return (
    <Section id="color-title" title={text.colorTitle}>
      <PostForm call={call} action={`${BRANDING_PATH}/color`} class="form">
        <Field
          id="color"
          label={text.color}
          hint={text.colorHint}
          error={isRefused ? text.problem.bad_color : null}
        >
          {(attributes) => (
            <div class="color-row">
              <input
                type="text"
                name="color"
                value={refused.color ?? color ?? ''}
                required
                autocomplete="off"
                spellcheck={false}
                {...attributes}
              />
              <input
                type="color"
                hidden
                value={color ?? FIRST_COLOR}
                data-picks="color"
                aria-label={text.picker}
              />
            </div>
          )}
        </Field>
        <div class="buttons">
          <button class="primary" type="submit">
            {text.saveColor}
          </button>
        </div>
      </PostForm>
      {color !== null && (
        <ButtonForm call={call} action={`${BRANDING_PATH}/color/remove`} label={text.removeColor} />
      )}
    </Section>
  );
}

function LogoCard({ call, logoUrl, refused }: BrandingProps) {
  const text = DASHBOARD_TEXTS[call.language].branding;
  const { problem } = refused;
  const isRefused = problem !== undefined && problem !== 'bad_color';
  const problems = brandingProblems(call.language);
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
          error={isRefused ? problems[problem] : null}
        >
          {(attributes) => (
            <input
              type="file"
              name="logo"
              accept="image/png,image/webp,image/jpeg"
              required
              data-logo-bytes={LOGO_BYTES_MAX}
              data-too-large={problems.too_large}
              data-unreadable={problems.unknown_format}
              data-shrunk={text.logoShrunk}
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
