import { LOGO_BYTES_MAX } from '../../../src/control/merchants/branding.ts';
import { BUSINESS_FIELDS, type Business } from '../../../src/engine/domain/merchant.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Section } from '../../ui/elements.tsx';
import { Field, TextField } from '../../ui/fields.tsx';
import { isReadOnly, useCall } from '../call.ts';
import { ButtonForm, PostForm, Submit } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { BRANDING_PATH } from '../paths.ts';
import { BankCodeCard, type BankCodeProps } from './bank-code.tsx';
import { Preview } from './preview.tsx';

const LOGO_KIBIBYTES_MAX = LOGO_BYTES_MAX / 1024;

interface BrandingProps {
  /** `#rrggbb`, or null for the default. */
  readonly color: string | null;
  /** The color as typed. */
  readonly typed: string;
  /** The color of the preview. */
  readonly preview: string | null;
  /** The image as a data: URL. */
  readonly logoUrl: string | null;
  /** The details that receipts show, or those that the member typed. */
  readonly business: Business;
  readonly bank: BankCodeProps;
}

/** The merchant's look on the customers' pages, with a preview, and its details on receipts. */
export function BrandingPage(props: BrandingProps) {
  const text = useTexts(DASHBOARD_TEXTS).branding;
  const mayChange = !isReadOnly(useCall());
  return (
    <Frame title={text.title} active="branding" done={text.done}>
      <p>{text.lead}</p>
      <div class="cards">
        <Section id="preview" title={text.previewTitle}>
          <Preview color={props.preview} logoUrl={props.logoUrl} />
          <p class="small quiet">{text.previewNote}</p>
        </Section>
        {mayChange && (
          <>
            <ColorCard {...props} />
            <LogoCard {...props} />
          </>
        )}
      </div>
      {mayChange && (
        <>
          <BusinessCard {...props} />
          <BankCodeCard {...props.bank} />
        </>
      )}
    </Frame>
  );
}

/** The color picker's first color when none is set: our own accent. */
const FIRST_COLOR = '#0b6b4b';

function ColorCard({ color, typed }: BrandingProps) {
  const text = useTexts(DASHBOARD_TEXTS).branding;
  return (
    <Section id="color-title" title={text.colorTitle}>
      <PostForm action={`${BRANDING_PATH}/color`} class="form">
        <Field id="color" label={text.color} hint={text.colorHint}>
          {(attributes) => (
            <div class="color-row">
              <input
                type="text"
                name="color"
                value={typed}
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
          <Submit label={text.saveColor} />
          <button type="submit" name="preview" value="yes" data-without-script>
            {text.showPreview}
          </button>
        </div>
      </PostForm>
      {color !== null && (
        <ButtonForm action={`${BRANDING_PATH}/color/remove`} label={text.removeColor} />
      )}
    </Section>
  );
}

function LogoCard({ logoUrl }: BrandingProps) {
  const text = useTexts(DASHBOARD_TEXTS).branding;
  const { too_large: tooLarge, unknown_format: unknownFormat } = text.problem;
  return (
    <Section id="logo-title" title={text.logoTitle}>
      <PostForm action={`${BRANDING_PATH}/logo`} class="form" enctype="multipart/form-data">
        <Field id="logo" label={text.logo} hint={text.logoHint(LOGO_KIBIBYTES_MAX)}>
          {(attributes) => (
            <input
              type="file"
              name="logo"
              accept="image/png,image/webp,image/jpeg"
              required
              data-logo-bytes={LOGO_BYTES_MAX}
              data-too-large={tooLarge(LOGO_KIBIBYTES_MAX)}
              data-unreadable={unknownFormat}
              data-shrunk={text.logoShrunk}
              {...attributes}
            />
          )}
        </Field>
        <Submit label={text.saveLogo} />
      </PostForm>
      {logoUrl !== null && (
        <ButtonForm action={`${BRANDING_PATH}/logo/remove`} label={text.removeLogo} />
      )}
    </Section>
  );
}

function BusinessCard({ business }: BrandingProps) {
  const text = useTexts(DASHBOARD_TEXTS).branding;
  return (
    <Section id="business-title" title={text.businessTitle}>
      <p class="small quiet">{text.businessNote}</p>
      <PostForm action={`${BRANDING_PATH}/business`} class="form">
        {BUSINESS_FIELDS.map((field) => (
          <TextField
            id={field}
            label={text.business[field].label}
            hint={text.business[field].hint}
            value={business[field] ?? ''}
            required={false}
          />
        ))}
        <Submit label={text.saveBusiness} />
      </PostForm>
    </Section>
  );
}
