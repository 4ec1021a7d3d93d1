import type { ComponentChildren } from 'preact';
import type { CheckoutMessages } from '../../i18n/messages.ts';
import { brandCss } from '../../ui/brand.ts';
import type { PaymentSummary } from '../summary.ts';
import { ALREADY_PARAMETER, type CheckoutView } from '../view.ts';
import { CheckoutDocument, type CheckoutDocumentProps } from './document.tsx';
import { Payee } from './payee.tsx';
import { WayBack } from './way-back.tsx';

/** What every page of a payment is given. */
export interface PageProps {
  readonly text: CheckoutMessages;
  readonly view: CheckoutView;
  /** Path of this payment's page; its forms post below it. */
  readonly path: string;
}

export interface FrameProps extends PageProps {
  readonly title: string;
  /** Whether it still is about paying: then how much stands at the top. */
  readonly isPayable: boolean;
  /** Two columns where there is room: who and what beside what to do. */
  readonly isWide?: boolean;
  /** Whether the customer's way back ends the payment, and so asks first. */
  readonly leaving: 'ends_payment' | 'leaves_it';
  readonly follow?: 'fast' | 'slow' | null;
  readonly refresh?: CheckoutDocumentProps['refresh'];
  /** Beneath who is paid: details, the code for the phone. */
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The frame of every page of a payment: the way back, who is paid and how much, what to do. */
export function Frame(props: FrameProps) {
  const { text, view, path, title, isWide = false, follow = null, refresh = null } = props;
  const { summary } = view;
  return (
    <CheckoutDocument
      text={text}
      title={title}
      isTest={summary.isTest}
      path={path}
      query={view.state.kind === 'paid' && view.state.triedAgain ? `${ALREADY_PARAMETER}=1&` : ''}
      follow={
        follow === null ? null : { statusPath: `${path}/status`, tag: view.tag, speed: follow }
      }
      refresh={refresh}
      brandCss={brandCss(summary.branding?.colour ?? null)}
    >
      <main class={isWide ? 'sheet sheet-wide' : 'sheet'}>
        <div class="about">
          <WayBack text={text} summary={summary} path={path} leaving={props.leaving} />
          <Payee text={text} summary={summary} path={path} isPayable={props.isPayable} />
          {props.aside}
        </div>
        <div class="task">{props.children}</div>
      </main>
    </CheckoutDocument>
  );
}

/** What a part of the page is given that only says what the payment is about. */
export interface SummaryProps {
  readonly text: CheckoutMessages;
  readonly summary: PaymentSummary;
}
