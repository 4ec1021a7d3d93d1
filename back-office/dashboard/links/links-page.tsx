import type { LinkPayments, ShownLink } from '../../../src/control/rpc/links.ts';
import { closureOf, type PaymentLink } from '../../../src/engine/links/payment-link.ts';
import { countText, moneyText } from '../../../src/kit/i18n/money-text.ts';
import type { Page } from '../../../src/kit/platform/paging.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import type { PaidSum } from '../../../src/lists/book/rows.ts';
import { useMoney } from '../../elements/payment-elements.tsx';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Badge, CopyText, Section, Untrusted } from '../../ui/elements.tsx';
import { EmptyState } from '../../ui/layout.tsx';
import { mayChange, useCall } from '../call.ts';
import { ListedTime } from '../date-fields.tsx';
import { ButtonForm } from '../forms.tsx';
import { Frame } from '../frame.tsx';
import { BadCursor, List, type ListRequest } from '../list.tsx';
import { linksPath, queryFrom } from '../paths.ts';
import { PaymentTable } from '../payments/list.tsx';
import type { TypedLink } from './form.ts';
import { LinkForm } from './link-form.tsx';

export function LinksPage(props: {
  readonly request: ListRequest;
  readonly page: Page<ShownLink>;
}) {
  const { request, page } = props;
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).links;
  const add = mayChange(call, 'develop') && (
    <a class="button primary" href={linksPath(call.environment, '/new')}>
      {text.add}
    </a>
  );
  const pathTo = (cursor: string) => linksPath(call.environment, `?${queryFrom({ cursor })}`);
  return (
    <Frame title={text.title} active="links">
      <BadCursor request={request} />
      {page.rows.length > 0 && (
        <>
          <p>{text.lead}</p>
          <div class="buttons">{add}</div>
        </>
      )}
      <List
        title={text.title}
        rows={page.rows}
        empty={
          <EmptyState title={text.none} action={add}>
            {text.noneLead}
          </EmptyState>
        }
        pages={{ page, pathTo }}
        columns={[
          [
            text.link,
            ({ link }) => (
              <a href={linksPath(call.environment, `/${link.code}`)}>
                <Untrusted text={link.title} />
              </a>
            ),
          ],
          [text.price, ({ link }) => <PriceText link={link} />],
          [text.state, ({ link }) => <LinkState link={link} />],
          [text.created, ({ link }) => <ListedTime atMs={link.createdAtMs} />],
        ]}
      />
    </Frame>
  );
}

interface LinkProps {
  readonly link: PaymentLink;
}

function PriceText({ link: { price, currency } }: LinkProps) {
  const { links: text, frame } = useTexts(DASHBOARD_TEXTS);
  return (
    <span class="whole">
      {price.kind === 'fixed'
        ? moneyText(price.amountMinor, currency, frame.locale)
        : text.kinds[price.kind]}
    </span>
  );
}

function LinkState({ link }: LinkProps) {
  const text = useTexts(DASHBOARD_TEXTS).links;
  switch (closureOf(link, useCall().nowMs)) {
    case 'off':
      return <Badge tone="plain">{text.inactive}</Badge>;
    case 'over':
      return <Badge tone="wait">{text.over}</Badge>;
    case 'sold_out':
      return <Badge tone="wait">{text.soldOut}</Badge>;
    default:
      return <Badge tone="good">{text.active}</Badge>;
  }
}

export function NewLinkPage({ typed }: { readonly typed: TypedLink }) {
  const { environment } = useCall();
  const text = useTexts(DASHBOARD_TEXTS).links;
  return (
    <Frame title={text.addTitle} active="links">
      <section class="card">
        <LinkForm action={linksPath(environment)} typed={typed} button={text.add} isNew />
      </section>
    </Frame>
  );
}

export function OneLinkPage(
  props: ShownLink & LinkPayments & { readonly request: ListRequest; readonly typed: TypedLink },
) {
  const { link, url, request, typed } = props;
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).links;
  const path = linksPath(call.environment, `/${link.code}`);
  return (
    <Frame title={link.title} active="links" done={{ saved: text.saved }}>
      <BadCursor request={request} />
      <p>
        <PriceText link={link} /> <LinkState link={link} />
      </p>
      {link.paymentsMax !== null && (
        <p>
          {text.counts(
            String(link.places?.committed ?? 0),
            String(link.paymentsMax),
            String(link.places?.reserved ?? 0),
          )}
        </p>
      )}
      <ShareSection link={link} url={url} />
      <PaymentsSection {...props} path={path} />
      <div class="buttons">
        {mayChange(call, 'develop') &&
          (link.isActive ? (
            <ButtonForm
              action={`${path}/deactivate`}
              label={text.deactivate}
              tone="bad"
              confirm={text.deactivateQuestion}
            />
          ) : (
            <ButtonForm action={`${path}/activate`} label={text.activate} />
          ))}
      </div>
      {mayChange(call, 'develop') && (
        <Section id="edit" title={text.edit}>
          <LinkForm action={path} typed={typed} button={text.save} isNew={false} />
        </Section>
      )}
    </Frame>
  );
}

/** The link's payments, and what was paid at its page. */
function PaymentsSection(props: LinkPayments & { readonly path: string }) {
  const { page, paid, path } = props;
  const { links: text, payments } = useTexts(DASHBOARD_TEXTS);
  const { locale } = useTexts(CHECKOUT_TEXTS);
  const sumText = ({ currency, payments: count, amountMinor, refundedMinor }: PaidSum) => {
    const money = useMoney(currency);
    const refunded = refundedMinor === 0 ? [] : [payments.summaryRefunded(money(refundedMinor))];
    return [text.paid(countText(count, locale), money(amountMinor)), ...refunded].join(' · ');
  };
  return (
    <Section id="payments" title={text.payments}>
      {paid.map((sum) => (
        <p>{sumText(sum)}</p>
      ))}
      <PaymentTable
        rows={page.rows}
        empty={text.noPayments}
        list=""
        pages={{ page, pathTo: (cursor) => `${path}?${queryFrom({ cursor })}` }}
      />
      <p class="hint">{text.paymentsHint}</p>
    </Section>
  );
}

/** The address, to copy or to send in a chat. Addresses of the two services: docs/links.md. */
function ShareSection({ link, url }: LinkProps & { readonly url: string }) {
  const text = useTexts(DASHBOARD_TEXTS).links;
  const message = `${link.title}\n${url}`;
  const whatsApp = `https://wa.me/?${new URLSearchParams({ text: message })}`;
  const telegram = `https://t.me/share/url?${new URLSearchParams({ url, text: link.title })}`;
  // A plus would be shown as one: both services read percent signs only.
  const shared = [
    [whatsApp, text.whatsapp],
    [telegram, text.telegram],
    [url, text.open],
  ] as const;
  return (
    <Section id="share" title={text.share}>
      <CopyText id="link-url" label={text.address} value={url} />
      <div class="buttons">
        {shared.map(([href, name]) => (
          <a class="button" href={href.replaceAll('+', '%20')} rel="noreferrer" target="_blank">
            {name}
          </a>
        ))}
        <a class="button" href={linksPath(useCall().environment, `/${link.code}/sign`)}>
          {text.sign}
        </a>
      </div>
    </Section>
  );
}
