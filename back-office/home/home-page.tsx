import { METHODS } from '../../src/engine/domain/method.ts';
import { useLanguage, useTexts } from '../../src/kit/ui/texts.ts';
import { CHECKOUT_TEXTS, HOME_TEXTS } from '../i18n/texts.ts';
import { BackOfficePage } from '../ui/page.tsx';

/** Made by `npm run lab -- screenshots`, in each language of the page. */
const PICTURE = { width: 540, height: 1110 } as const;

/** Where each claim is shown to be true. */
const PROOFS = [
  ['/docs/promises', 'promises'],
  ['/docs/reliability', 'tests'],
  ['/docs/benchmarks', 'figures'],
] as const;

/** The page at `/`: what a merchant gets, and how to begin. */
export function HomePage(props: {
  /** Where the source is published, or null when the deployment does not configure it. */
  readonly sourceUrl: string | null;
}) {
  const { sourceUrl } = props;
  const text = useTexts(HOME_TEXTS);
  return (
    <BackOfficePage heading={text.heading} titleParts={[text.product]} home="/">
      <div class="home-start">
        <div class="cards home-leads">
          <section class="card">
            <h2>{text.shopTitle}</h2>
            <p>{text.shopLead}</p>
            <a class="button primary" href="/dashboard">
              {text.signIn}
            </a>
          </section>
          <section class="card">
            <h2>{text.developerTitle}</h2>
            <p>{text.lead}</p>
            <a class="button" href="/docs/quick-start">
              {text.quickStart}
            </a>
          </section>
        </div>
        <ul class="home-proof">
          {PROOFS.map(([path, claim]) => (
            <li>
              <a href={path}>{text.proof[claim]}</a>
            </li>
          ))}
        </ul>
        <p class="quiet">
          <strong>{text.payingTitle}</strong> {text.paying}
        </p>
        <Methods />
      </div>
      <div class="home-pictures">
        <Picture of="checkout-choosing" alt={text.picture} />
        <Picture of="dashboard-payments" alt={text.dashboardPicture} />
      </div>
      <section class="home-gives">
        <h2>{text.givesTitle}</h2>
        <div class="cards">
          {text.gives.map(([title, more]) => (
            <section class="card">
              <h3>{title}</h3>
              <p>{more}</p>
            </section>
          ))}
        </div>
      </section>
      <Ways sourceUrl={sourceUrl} />
    </BackOfficePage>
  );
}

/** In the page's language. */
function Picture({ of: name, alt }: { readonly of: string; readonly alt: string }) {
  const end = useLanguage() === 'am' ? '-am' : '';
  return <img {...PICTURE} src={`/docs/images/${name}${end}.jpg`} alt={alt} loading="lazy" />;
}

/** The methods that a gateway can offer, with what the customer does. */
function Methods() {
  const { methodName, methodHint } = useTexts(CHECKOUT_TEXTS);
  return (
    <section>
      <h2>{useTexts(HOME_TEXTS).methods}</h2>
      <ul class="home-methods">
        {METHODS.map((method) => (
          <li>
            <strong>{methodName[method]}</strong>
            <span class="small quiet">{methodHint[method]}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** For an address without a page. */
export function MissingPage() {
  const text = useTexts(HOME_TEXTS);
  return (
    <BackOfficePage heading={text.missingTitle} titleParts={[text.product]} home="/">
      <p>{text.missing}</p>
      <Ways hasHome />
    </BackOfficePage>
  );
}

/** Links to other pages. The operator's desk is missing, because it is not for the public. */
function Ways(props: { readonly hasHome?: boolean; readonly sourceUrl?: string | null }) {
  const { hasHome = false, sourceUrl = null } = props;
  const text = useTexts(HOME_TEXTS);
  const ways = [
    ...(hasHome ? [['/', text.home, text.homeNote] as const] : []),
    ['/docs/', text.docs, text.docsNote] as const,
    ['/dashboard', text.dashboard, text.dashboardNote] as const,
    ...(sourceUrl === null ? [] : [[sourceUrl, text.source, text.sourceNote] as const]),
  ];
  return (
    <nav class="cards" aria-label={text.ways}>
      {ways.map(([href, name, note]) => (
        <a class="card home-way" href={href}>
          <strong>{name}</strong>
          <span class="small quiet">{note}</span>
        </a>
      ))}
    </nav>
  );
}
