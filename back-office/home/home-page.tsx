import { METHODS } from '../../src/engine/domain/method.ts';
import { useTexts } from '../../src/kit/ui/texts.ts';
import { CHECKOUT_TEXTS, HOME_TEXTS } from '../i18n/texts.ts';
import { BackOfficePage } from '../ui/page.tsx';

/** Made by `npm run lab -- screenshots`. */
const PICTURE = { src: '/docs/images/checkout-choosing.jpg', width: 540, height: 1110 } as const;

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
        <p class="home-lead">{text.lead}</p>
        <div class="buttons">
          <a class="button primary" href="/docs/quick-start">
            {text.quickStart}
          </a>
          <a class="button" href="/dashboard">
            {text.signIn}
          </a>
        </div>
        <p class="quiet">
          <strong>{text.payingTitle}</strong> {text.paying}
        </p>
        <Methods />
      </div>
      <img class="home-picture" {...PICTURE} alt={text.picture} />
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
