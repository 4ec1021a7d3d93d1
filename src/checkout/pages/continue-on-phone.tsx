import { useText } from '../texts.ts';
import type { PageProps } from './props.ts';

/** The width from which `summary.css` shows it. */
const DESKTOP = '(min-width: 56rem) and (hover: hover)';

/** Only on a desktop: a phone does not show the image and never fetches it. */
export function ContinueOnPhone({ path }: Pick<PageProps, 'path'>) {
  const text = useText();
  return (
    <section class="continue-on-phone" aria-labelledby="continue-on-phone">
      <picture>
        <source media={DESKTOP} srcset={`${path}/qr.svg`} />
        <img src="data:," width="132" height="132" alt={text.qrAlternative} decoding="async" />
      </picture>
      <div>
        <h2 id="continue-on-phone">{text.qrTitle}</h2>
        <p class="quiet small">{text.qrLead}</p>
      </div>
    </section>
  );
}
