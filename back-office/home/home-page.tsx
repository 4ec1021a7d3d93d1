import { useTexts } from '../../src/ui/texts.ts';
import { HOME_TEXTS } from '../i18n/texts.ts';
import { BackOfficePage } from '../ui/page.tsx';

/** The page at `/`: what Kefel is, and links for its users. */
export function HomePage(props: {
  /** Where the source is published, or null when the deployment does not configure it. */
  readonly sourceUrl: string | null;
}) {
  const { sourceUrl } = props;
  const text = useTexts(HOME_TEXTS);
  return (
    <BackOfficePage heading={text.heading} titleParts={[text.product]} home="/">
      <ol class="home-steps">
        {text.steps.map((step) => (
          <li>{step}</li>
        ))}
      </ol>
      <nav class="cards" aria-label={text.ways}>
        <Way href="/dashboard" name={text.dashboard} note={text.dashboardNote} />
        <Way href="/operator" name={text.desk} note={text.deskNote} />
        <Way href="/docs/" name={text.docs} note={text.docsNote} />
        {sourceUrl !== null && <Way href={sourceUrl} name={text.source} note={text.sourceNote} />}
      </nav>
      <section class="card">
        <h2>{text.payingTitle}</h2>
        <p>{text.paying}</p>
      </section>
    </BackOfficePage>
  );
}

/** For an address under /docs at which no page of the documentation is. */
export function MissingPage() {
  const text = useTexts(HOME_TEXTS);
  return (
    <BackOfficePage heading={text.missingTitle} titleParts={[text.product]} home="/">
      <p>{text.missing}</p>
      <Way href="/docs/" name={text.docs} note={text.docsNote} />
    </BackOfficePage>
  );
}

function Way(props: { readonly href: string; readonly name: string; readonly note: string }) {
  return (
    <a class="card home-way" href={props.href}>
      <strong>{props.name}</strong>
      <span class="small quiet">{props.note}</span>
    </a>
  );
}
