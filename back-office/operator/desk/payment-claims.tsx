import type { KnownPaymentDetails } from '../../../src/control/rpc/operator.ts';
import type { Attempt } from '../../../src/engine/domain/attempt.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DESK_TEXTS } from '../../i18n/texts.ts';
import { ButtonLink } from '../../ui/elements.tsx';
import { shownText } from '../../ui/untrusted-text.ts';
import { paymentPath } from './paths.ts';
import { receiptPageUrl } from './receipt-pages.ts';

/** Of the form that records an attempt as paid: which of the customer's claims fills it. */
export const CLAIM_PARAMETER = 'claim';

type Claim = KnownPaymentDetails['claims'][number];

/** What the customer says they paid by, who else has that number, and the way to record it. */
export function Claims(props: {
  readonly details: KnownPaymentDetails;
  readonly attempt: Attempt;
  readonly mayRecordPaid: boolean;
}) {
  const { details, attempt } = props;
  const { claim: text } = useTexts(DESK_TEXTS).pages;
  const { terms } = details.intent;
  const { claimedReceipts = [] } = attempt;
  const claims = details.claims.filter(({ attemptId }) => attemptId === attempt.id);
  return claims.map((claim) => {
    const pageUrl = receiptPageUrl(attempt.method, claim.receipt);
    const number = claimedReceipts.indexOf(claim.receipt);
    const path = paymentPath(terms, `/attempts/${attempt.reference}/paid`);
    return (
      <div class="notice">
        <p>
          {text.title} <code>{shownText(claim.receipt)}</code>
        </p>
        <Others environment={terms.environment} others={claim.others} />
        <p class="hint">{text.lead}</p>
        <div class="buttons">
          {pageUrl !== null && (
            <a class="button" href={pageUrl} target="_blank" rel="noreferrer">
              {text.page}
            </a>
          )}
          {props.mayRecordPaid && (
            <ButtonLink to={`${path}?${CLAIM_PARAMETER}=${number}`}>{text.record}</ButtonLink>
          )}
        </div>
      </div>
    );
  });
}

function Others(props: {
  readonly environment: KnownPaymentDetails['intent']['terms']['environment'];
  readonly others: Claim['others'];
}) {
  const { environment, others } = props;
  const { claim: text } = useTexts(DESK_TEXTS).pages;
  if (others === null || others.length === 0) {
    return <p>{others === null ? text.unknown : text.none}</p>;
  }
  return (
    <ul>
      {others.map(({ isReceipt, ...other }) => (
        <li>
          {isReceipt ? <strong>{text.receiptOf}</strong> : text.claimedFor}{' '}
          <a href={paymentPath({ environment, ...other })}>
            <bdi>{shownText(other.uniqueId)}</bdi>
          </a>{' '}
          (<bdi>{other.merchantId}</bdi>)
        </li>
      ))}
    </ul>
  );
}
