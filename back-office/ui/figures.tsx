import type { ComponentChildren } from 'preact';
import { moneyText } from '../../src/kit/i18n/money-text.ts';
import type { Currency } from '../../src/kit/money.ts';
import { useTexts } from '../../src/kit/ui/texts.ts';
import { CHECKOUT_TEXTS } from '../i18n/texts.ts';

/** An amount, which never breaks and whose digits stand below those of other rows. */
export function Money(props: { readonly minor: number; readonly currency: Currency }) {
  const { locale } = useTexts(CHECKOUT_TEXTS);
  return <span class="money">{moneyText(props.minor, props.currency, locale)}</span>;
}

/** The figures that a page is about, in `StatTile`s. */
export function StatTiles(props: { readonly children: ComponentChildren }) {
  return <dl class="tiles">{props.children}</dl>;
}

/** A figure, with its title above and how it is calculated below. */
export function StatTile(props: {
  readonly label: string;
  readonly value: ComponentChildren;
  readonly hint?: ComponentChildren;
  /** The one figure that the page is about. */
  readonly isLead?: boolean;
}) {
  const { label, value, hint, isLead = false } = props;
  return (
    <div class={isLead ? 'tile tile-lead' : 'tile'}>
      <dt>{label}</dt>
      <dd>
        <strong class="number">{value}</strong>
        {hint && <span class="quiet small">{hint}</span>}
      </dd>
    </div>
  );
}
