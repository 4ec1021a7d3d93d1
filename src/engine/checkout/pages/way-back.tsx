import { useText } from '../texts.ts';
import type { PageProps, SummaryProps } from './props.ts';

/**
 * The link back to the merchant, with its name and host, at the top of every page. If leaving ends
 * the payment (docs/decisions.md#25), it says so and asks. It is a plain `details` element, so it
 * works without JavaScript.
 */
export function WayBack(
  props: SummaryProps & Pick<PageProps, 'path'> & { readonly endsPayment: boolean },
) {
  const { summary, path } = props;
  const text = useText();
  if (!props.endsPayment) {
    return summary.returnUrl === null ? null : (
      <a class="back" href={summary.returnUrl}>
        <BackLabel summary={summary} />
      </a>
    );
  }
  const confirm =
    summary.returnUrl === null ? text.giveUpNowhere : text.giveUp(summary.merchantName);
  return (
    <details class="leave">
      <summary class="back">
        <BackLabel summary={summary} />
      </summary>
      <form class="stack notice" method="post" action={`${path}/give-up`} data-once>
        <strong>{text.leaveTitle}</strong>
        <p>{text.leaveLead(summary.merchantName)}</p>
        <a class="button primary" href={path}>
          {text.keepPaying}
        </a>
        <button class="button" type="submit" data-busy={text.working}>
          {confirm}
        </button>
      </form>
    </details>
  );
}

function BackLabel({ summary }: SummaryProps) {
  const text = useText();
  return (
    <>
      <svg class="arrow" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
        <path d="M14.5 5.5L8 12l6.5 6.5" />
      </svg>
      <span>
        {summary.returnUrl === null ? text.giveUpNowhere : text.returnTo(summary.merchantName)}
        {summary.returnHost !== null && (
          <>
            {' '}
            <span class="host">{summary.returnHost}</span>
          </>
        )}
      </span>
    </>
  );
}

/** The same link as the main button, when the page has no other action. */
export function ReturnButton({ summary }: SummaryProps) {
  const text = useText();
  if (summary.returnUrl === null) {
    return null;
  }
  return (
    <p class="stack-tight center">
      <a class="button primary" href={summary.returnUrl}>
        {text.returnTo(summary.merchantName)}
      </a>
      {summary.returnHost !== null && <span class="host">{summary.returnHost}</span>}
    </p>
  );
}
