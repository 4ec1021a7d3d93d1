import type { PageProps } from './props.ts';

/** As `summary.css` shows it. */
const DESKTOP = '(min-width: 56rem) and (hover: hover)';

/** On a desktop only: a phone, where it is not shown, never fetches it. */
export function ContinueOnPhone({ text, path }: Pick<PageProps, 'text' | 'path'>) {
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
