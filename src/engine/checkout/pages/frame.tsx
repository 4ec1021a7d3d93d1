import type { ComponentChildren } from 'preact';
import { brandCss } from '../../../kit/ui/brand.ts';
import type { CheckoutMessages } from '../../i18n/messages.ts';
import { useText } from '../texts.ts';
import { CheckoutDocument, type CheckoutDocumentProps } from './document.tsx';
import { Payee } from './payee.tsx';
import type { PageProps } from './props.ts';
import { WayBack } from './way-back.tsx';

export interface FrameProps extends PageProps {
  readonly title: string;
  /** Of a page below the payment's own; defaults to `path`. */
  readonly ownPath?: string;
  /** Whether the customer can still pay: then the amount is at the top. */
  readonly isPayable?: boolean;
  /** Two columns on a wide screen: the payment next to what the customer does. */
  readonly isWide?: boolean;
  /** Whether leaving ends the payment, so the page asks first. */
  readonly leavingEndsPayment?: boolean;
  /** The title that a chat shows for a link to the page; defaults to the merchant that it pays. */
  readonly previewTitle?: string;
  /** Whether people other than the customer may have the link. */
  readonly isPublic?: boolean;
  readonly follow?: 'fast' | 'slow' | null;
  readonly refresh?: CheckoutDocumentProps['refresh'];
  /** Below the merchant and the amount: details, the QR code. */
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The frame of every page of a payment: the link back, merchant and amount, and the content. */
export function Frame(props: FrameProps) {
  const { view, path, title, isWide, follow, refresh, isPayable, leavingEndsPayment } = props;
  const { summary } = view;
  const text = useText();
  return (
    <CheckoutDocument
      title={title}
      isTest={summary.isTest}
      path={props.ownPath ?? path}
      query={props.query ?? ''}
      follow={follow ? { tag: view.tag, speed: follow } : null}
      refresh={refresh ?? null}
      preview={previewOf(text, props)}
      returnUrl={summary.returnUrl}
      isPublic={props.isPublic ?? false}
      brandCss={brandCss(summary.branding?.color ?? null)}
    >
      <main class={isWide ? 'sheet sheet-wide' : 'sheet'}>
        <div class="about">
          <WayBack summary={summary} path={path} endsPayment={leavingEndsPayment ?? false} />
          <Payee summary={summary} path={path} isPayable={isPayable ?? false} />
          {props.aside}
        </div>
        <div class="task">{props.children}</div>
      </main>
    </CheckoutDocument>
  );
}

/** Only the merchant: people who see the link in a chat must not read the amount or the state. */
function previewOf(text: CheckoutMessages, { view: { summary }, path, previewTitle }: FrameProps) {
  const digest = summary.branding?.logoDigest ?? null;
  return {
    title: previewTitle ?? `${text.payTo} ${summary.merchantName}`,
    imageUrl: digest === null ? null : `${summary.baseUrl}${path}/logo/${digest}`,
  };
}
