import { moneyText } from '../../../src/kit/i18n/money-text.ts';
import { brandLook } from '../../../src/kit/ui/brand.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { useCall } from '../call.ts';

/** A sample amount, 1,250.00. */
const SAMPLE_MINOR = 125_000;

/**
 * The head of the checkout page and its button. The color is in SVG attributes, because the
 * dashboard's CSP allows no inline styles. The script changes it with the color's field.
 */
export function Preview(props: { readonly color: string | null; readonly logoUrl: string | null }) {
  const call = useCall();
  const { color, logoUrl } = props;
  const text = useTexts(DASHBOARD_TEXTS).branding;
  const shared = useTexts(CHECKOUT_TEXTS);
  const { merchantName } = call.session;
  return (
    <div class="brand-preview" data-brand-preview>
      <svg class="brand-bar" aria-hidden="true">
        <Ground color={color} radius={0} />
      </svg>
      <div class="brand-head">
        {logoUrl === null ? (
          <svg class="brand-logo" viewBox="0 0 48 48" aria-hidden="true">
            <Ground color={color} radius={12} />
            <Label color={color} size={22} text={initialOf(merchantName)} />
          </svg>
        ) : (
          <img class="brand-logo" src={logoUrl} width="48" height="48" alt={text.logoAlt} />
        )}
        <p>
          <span class="quiet small">{shared.payTo}</span>
          <br />
          <strong>
            <bdi>{merchantName}</bdi>
          </strong>
        </p>
      </div>
      <p class="brand-amount number">{moneyText(SAMPLE_MINOR, 'ETB', shared.locale)}</p>
      <svg class="brand-button" role="img" aria-label={text.sampleButton}>
        <Ground color={color} radius={8} />
        <Label color={color} size={16} text={text.sampleButton} />
      </svg>
    </div>
  );
}

function Ground(props: { readonly color: string | null; readonly radius: number }) {
  const { color, radius } = props;
  const isEdged = color !== null && brandLook(color).needsEdge;
  return (
    <rect
      class={isEdged ? 'brand-ground brand-edge' : 'brand-ground'}
      width="100%"
      height="100%"
      rx={radius}
      fill={color ?? undefined}
    />
  );
}

function Label(props: {
  readonly color: string | null;
  readonly size: number;
  readonly text: string;
}) {
  const { color, size, text } = props;
  return (
    <text
      class="brand-label"
      x="50%"
      y="50%"
      dy="0.35em"
      text-anchor="middle"
      font-size={size}
      fill={color === null ? undefined : brandLook(color).text}
    >
      {text}
    </text>
  );
}

function initialOf(name: string): string {
  const [initial] = new Intl.Segmenter('en').segment(name.trim());
  return initial?.segment.toUpperCase() ?? '';
}
