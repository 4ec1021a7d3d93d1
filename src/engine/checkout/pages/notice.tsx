import { useText } from '../texts.ts';
import { Countdown } from './countdown.tsx';
import { CheckoutDocument } from './document.tsx';
import { ButtonLink, Headline } from './elements.tsx';

const SECOND_MS = 1_000;

export type NoticeKind = 'unknown' | 'error' | 'busy' | 'bad_form' | 'receipt_over';

/** A page without a payment: an unknown link, an error, too many requests. */
export function NoticePage(props: {
  readonly kind: NoticeKind;
  /** The link to try again, or null. */
  readonly retryPath: string | null;
  /** When the page retries automatically; absent where that would resend a form. */
  readonly retryAfterSeconds?: number | undefined;
}) {
  const { kind, retryPath, retryAfterSeconds } = props;
  const text = useText();
  const words: Readonly<Record<NoticeKind, readonly [title: string, lead: string]>> = {
    unknown: [text.unknownTitle, text.unknownLead],
    error: [text.errorTitle, text.errorLead],
    busy: [text.busyTitle, text.busyLead],
    bad_form: [text.badFormTitle, text.badFormLead],
    receipt_over: [text.receipt.overTitle, text.receipt.overLead],
  };
  const [title, lead] = words[kind];
  const refresh =
    retryAfterSeconds === undefined ? null : { afterSeconds: retryAfterSeconds, url: retryPath };
  return (
    <CheckoutDocument title={title} isTest={false} path={retryPath} refresh={refresh}>
      <main class="sheet">
        <div class="task">
          <Headline tone={kind === 'busy' ? 'wait' : 'plain'}>{title}</Headline>
          <p>{lead}</p>
          {retryAfterSeconds !== undefined && (
            <Countdown remainingMs={retryAfterSeconds * SECOND_MS} words={text.tryingAgainIn}>
              {''}
            </Countdown>
          )}
          {retryPath !== null && <ButtonLink href={retryPath}>{text.tryAgain}</ButtonLink>}
        </div>
      </main>
    </CheckoutDocument>
  );
}

/** For an address without a page: what a customer can do, and links for other visitors. */
export function LostPage({ backOffice }: { readonly backOffice: string }) {
  const text = useText();
  const ways = [
    ['/', text.lostHome],
    ['/docs/', text.lostDocs],
    ['/dashboard', text.lostDashboard],
  ] as const;
  return (
    <CheckoutDocument title={text.lostTitle} isTest={false} isPublic path={null}>
      <main class="sheet">
        <div class="task">
          <Headline tone="plain">{text.lostTitle}</Headline>
          <p>{text.lostLead}</p>
          {ways.map(([path, name]) => (
            <ButtonLink href={`${backOffice}${path}`} look="second">
              {name}
            </ButtonLink>
          ))}
        </div>
      </main>
    </CheckoutDocument>
  );
}
