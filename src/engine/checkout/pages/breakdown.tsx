import { countText, moneyText } from '../../../kit/i18n/money-text.ts';
import type { ItemLine } from '../summary.ts';
import { useText } from '../texts.ts';
import { Row } from './elements.tsx';
import type { SummaryProps } from './props.ts';

/**
 * The items, their sum and the total that is charged. Collapsed on a phone while the customer has
 * something to do, because the amount is above; always open on a wide screen.
 */
export function Breakdown(props: SummaryProps & { readonly isFolded: boolean }) {
  const { summary, isFolded } = props;
  const text = useText();
  if (summary.items.length === 0 && summary.totals.commissionMinor === 0) {
    return null;
  }
  return (
    <details class={isFolded ? 'breakdown' : 'breakdown breakdown-open'} open={!isFolded}>
      <summary>
        <h2>{isFolded ? text.details : text.detailsPaid}</h2>
      </summary>
      {summary.items.length > 0 && (
        <ul class="items">
          {summary.items.map((item) => (
            <Item {...props} item={item} />
          ))}
        </ul>
      )}
      <Totals summary={summary} />
    </details>
  );
}

function Item({ summary, item }: SummaryProps & { readonly item: ItemLine }) {
  const text = useText();
  const money = (amountMinor: number) => moneyText(amountMinor, summary.currency, text.locale);
  const count = countText(item.quantity, text.locale);
  return (
    <li>
      <div class="item-text">
        <bdi>{item.name}</bdi>
        {item.description !== null && <bdi class="item-note">{item.description}</bdi>}
        {item.quantity > 1 && (
          <span class="item-note">
            {item.unitPriceMinor === null
              ? text.quantity(count)
              : text.quantityTimes(count, money(item.unitPriceMinor))}
          </span>
        )}
      </div>
      {item.lineTotalMinor !== null && <span class="money">{money(item.lineTotalMinor)}</span>}
    </li>
  );
}

function Totals({ summary: { totals, currency } }: SummaryProps) {
  const text = useText();
  const money = (amountMinor: number) => moneyText(amountMinor, currency, text.locale);
  const depends = totals.totalMinor === null;
  return (
    <dl class="totals">
      {totals.commissionMinor !== 0 && (
        <Row label={text.subtotal}>{money(totals.subtotalMinor)}</Row>
      )}
      {totals.commissionMinor !== 0 && (
        <Row label={text.commission} byMethod={depends ? '{fee}' : null}>
          {totals.commissionMinor === null
            ? text.commissionByMethod
            : money(totals.commissionMinor)}
        </Row>
      )}
      <Row label={text.total} emphasis byMethod={depends ? '{charged}' : null}>
        {totals.totalMinor === null ? text.commissionByMethod : money(totals.totalMinor)}
      </Row>
    </dl>
  );
}
