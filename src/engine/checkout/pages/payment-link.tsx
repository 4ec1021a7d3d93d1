import type { ComponentChildren } from 'preact';
import { moneyText } from '../../../kit/i18n/money-text.ts';
import type { Currency } from '../../../kit/money.ts';
import { brandCss } from '../../../kit/ui/brand.ts';
import { useTexts } from '../../../kit/ui/texts.ts';
import { contactLink } from '../../config.ts';
import { LINK_TEXTS } from '../../i18n/payment-link.ts';
import { ASKED, type LinkClosure, type PaymentLink } from '../../links/payment-link.ts';
import type { MerchantAccess } from '../../merchants/access.ts';
import type { RefusedLinkForm } from '../refused-link-form.ts';
import { useText } from '../texts.ts';
import { CheckoutDocument } from './document.tsx';
import { Amount, ButtonLink, Headline } from './elements.tsx';
import { Logo } from './payee.tsx';
import { AmountFields, AskedField, type FieldsProps, ItemFields } from './payment-link-fields.tsx';

/** The page of a payment link, which works without JavaScript (docs/links.md). */

/** Beside the styles of all customers' pages, which stay as small as they are. */
export const LINK_CSS =
  '.pick{display:grid;grid-template-columns:1fr 5rem;gap:var(--s1) var(--s3);align-items:center;' +
  'padding-block:var(--s2);border-top:1px solid var(--line)}' +
  '.pick input{text-align:center;font-size:var(--large)}.pick .field-problem{grid-column:1/3}' +
  '.ask{display:grid;gap:var(--s1)}.ask label{font-weight:600}' +
  '.words{white-space:pre-line;overflow-wrap:anywhere}address{font-style:normal}.group{display:grid;gap:var(--s2)}';

interface LinkProps {
  readonly link: PaymentLink;
  /** Null: the merchant is suspended or closed. */
  readonly seller: MerchantAccess | null;
  /** `/pay/{slug}`. */
  readonly path: string;
  readonly origin: string;
}

/** Before the merchant's texts, in the frame of all customers' pages. */
function LinkFrame(
  props: LinkProps & {
    readonly title: string;
    readonly preview: string;
    readonly ownPath?: string;
    readonly query?: string;
    readonly children: ComponentChildren;
  },
) {
  const { link, seller, path, origin } = props;
  const text = useText();
  const digest = seller?.branding?.logoDigest ?? null;
  const brand = brandCss(seller?.branding?.color ?? null) ?? '';
  return (
    <CheckoutDocument
      title={props.title}
      isTest={seller?.environment === 'sandbox'}
      isPublic
      path={props.ownPath ?? path}
      query={props.query ?? ''}
      preview={{
        title: props.preview,
        description: link.description,
        imageUrl: digest === null ? null : `${origin}${path}/logo/${digest}`,
      }}
      brandCss={brand + LINK_CSS}
    >
      <main class="sheet">
        {seller !== null && (
          <div class="about">
            <header class="payee">
              <Logo summary={seller} path={path} />
              <p class="payee-name">
                <span class="quiet">{text.payTo} </span>
                <bdi>{seller.merchantName}</bdi>
              </p>
            </header>
          </div>
        )}
        <div class="task">{props.children}</div>
      </main>
    </CheckoutDocument>
  );
}

/** What the link says it is for: title, amount and merchant, which a chat shows too. */
function previewOf({ link, seller }: LinkProps, locale: string): string {
  const money = (minor: number) => moneyText(minor, link.currency, locale);
  const amount = link.price.kind === 'fixed' ? [money(link.price.amountMinor)] : [];
  return [link.title, ...amount, ...(seller === null ? [] : [seller.merchantName])].join(' · ');
}

export function LinkPage(
  props: LinkProps & {
    readonly refused: RefusedLinkForm | null;
    readonly token: string;
    /** The part of the page's query that the language switch keeps. */
    readonly query: string;
  },
) {
  const { link, path, refused, token } = props;
  const text = useText();
  const words = useTexts(LINK_TEXTS);
  const preview = previewOf(props, text.locale);
  const problems = Object.keys(refused?.problems ?? {});
  const isWrong = problems.length > 0;
  const fields: FieldsProps = { link, refused, focused: problems[0] ?? null };
  return (
    <LinkFrame
      {...props}
      title={isWrong ? `${text.problemTitle} · ${preview}` : preview}
      preview={preview}
    >
      <h1>
        <bdi>{link.title}</bdi>
      </h1>
      {link.description !== null && (
        <p class="quiet words">
          <bdi>{link.description}</bdi>
        </p>
      )}
      {link.price.kind === 'fixed' && (
        <Amount amountMinor={link.price.amountMinor} currency={link.currency} />
      )}
      {isWrong && (
        <div class="notice notice-bad" role="alert">
          <strong>{text.problemTitle}</strong>
        </div>
      )}
      {refused?.notice && (
        <div class="notice" role="alert">
          <strong>{words[refused.notice]}</strong>
        </div>
      )}
      <form class="stack" method="post" action={path} data-once novalidate>
        <input type="hidden" name="form" value={token} />
        {link.price.kind === 'open' && <AmountFields {...fields} price={link.price} />}
        {link.price.kind === 'items' && <ItemFields {...fields} price={link.price} />}
        {ASKED.filter((name) => link.askFor[name] !== 'NO').map((name) => (
          <AskedField {...fields} name={name} />
        ))}
        <button class="button primary" type="submit" data-busy={text.working}>
          {words.goOn}
        </button>
        <p class="quiet small center">{words.nextStep}</p>
      </form>
    </LinkFrame>
  );
}

/** A link that takes no payment, and whom to ask. */
export function ClosedLinkPage(props: LinkProps & { readonly closure: LinkClosure }) {
  const { link, seller, closure } = props;
  const words = useTexts(LINK_TEXTS);
  const title = words[closure];
  return (
    <LinkFrame {...props} title={`${title} · ${link.title}`} preview={title}>
      <Headline tone="plain">{title}</Headline>
      <p>
        <bdi>{link.title}</bdi>
      </p>
      {closure === 'reserved' && <p>{words.reservedHint}</p>}
      {seller !== null && (
        <>
          <p>{words.askSeller(seller.merchantName)}</p>
          <Contact seller={seller} />
        </>
      )}
    </LinkFrame>
  );
}

function Contact({ seller }: { readonly seller: MerchantAccess }) {
  const { legalName = null, address = null, contact = null } = seller.business ?? {};
  const link = contact === null ? null : contactLink(contact);
  return (
    <address class="stack-tight">
      {[legalName, address].map((line) => line !== null && <bdi>{line}</bdi>)}
      {link !== null && <a href={link.href}>{link.text}</a>}
    </address>
  );
}

/** After a payment that its object says is paid. */
export function PaidLinkPage(
  props: LinkProps & {
    readonly merchantName: string;
    readonly amountMinor: number;
    readonly currency: Currency;
    /** Null once the receipt can no longer be opened. */
    readonly receiptUrl: string | null;
    /** Whether the link takes another payment. */
    readonly isOpen: boolean;
  },
) {
  const { link, path, amountMinor, currency } = props;
  const text = useText();
  const words = useTexts(LINK_TEXTS);
  const money = moneyText(amountMinor, currency, text.locale);
  return (
    <LinkFrame {...props} title={words.thanks} preview={link.title} ownPath={`${path}/paid`}>
      <Headline tone="good">{words.thanks}</Headline>
      <p>{words.paidTo(money, props.merchantName)}</p>
      {link.paidText !== null && (
        <p class="words">
          <bdi>{link.paidText}</bdi>
        </p>
      )}
      {props.receiptUrl !== null && (
        <ButtonLink href={props.receiptUrl}>{words.receipt}</ButtonLink>
      )}
      {props.isOpen && (
        <ButtonLink href={path} look="plain">
          {words.payAgain}
        </ButtonLink>
      )}
    </LinkFrame>
  );
}
