import type { PageProps } from './frame.tsx';

/** On a desktop only. Loaded lazily, so a phone, where it is not shown, never fetches it. */
export function ContinueOnPhone({ text, path }: Pick<PageProps, 'text' | 'path'>) {
  return (
    <section class="continue-on-phone" aria-labelledby="continue-on-phone">
      <img
        src={`${path}/qr.svg`}
        width="132"
        height="132"
        alt={text.qrAlternative}
        loading="lazy"
        decoding="async"
      />
      <div>
        <h2 id="continue-on-phone">{text.qrTitle}</h2>
        <p class="quiet small">{text.qrLead}</p>
      </div>
    </section>
  );
}
