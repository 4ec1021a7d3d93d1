import { useText } from '../texts.ts';
import { Amount } from './elements.tsx';
import type { SummaryProps } from './props.ts';

/**
 * The merchant and the amount. Names are isolated: they may run right to left, or try to mislead.
 */
export function Payee(props: {
  readonly summary: Pick<
    SummaryProps['summary'],
    'merchantName' | 'branding' | 'totals' | 'currency' | 'description'
  >;
  readonly path: string;
  readonly isPayable: boolean;
}) {
  const { summary, path, isPayable } = props;
  const { totals, currency } = summary;
  const text = useText();
  return (
    <header class="payee">
      <Logo summary={summary} path={path} />
      <div>
        <p class="payee-name">
          {isPayable && <span class="quiet">{text.payTo} </span>}
          <bdi>{summary.merchantName}</bdi>
        </p>
        {isPayable && (
          <Amount
            amountMinor={totals.totalMinor ?? totals.subtotalMinor}
            currency={currency}
            byMethod={totals.totalMinor === null ? '{charged}' : undefined}
          />
        )}
      </div>
      {isPayable && totals.totalMinor === null && (
        <p class="quiet small" data-by-method="{feeNote}">
          {text.plusCommission}
        </p>
      )}
      {summary.description !== null && (
        <p class="quiet description">
          <bdi>{summary.description}</bdi>
        </p>
      )}
    </header>
  );
}

/**
 * The merchant's logo, or its first letter. Hidden from screen readers, as the name is next to it.
 */
export function Logo(props: {
  readonly summary: Pick<SummaryProps['summary'], 'merchantName' | 'branding'>;
  readonly path: string;
}) {
  const { summary, path } = props;
  const digest = summary.branding?.logoDigest ?? null;
  if (digest === null) {
    const [initial = ''] = new Intl.Segmenter('en').segment(summary.merchantName.trim());
    return (
      <span class="logo" aria-hidden="true">
        {initial === '' ? '' : initial.segment.toUpperCase()}
      </span>
    );
  }
  return (
    <img
      class="logo"
      src={`${path}/logo/${digest}`}
      width="48"
      height="48"
      alt=""
      decoding="async"
    />
  );
}
