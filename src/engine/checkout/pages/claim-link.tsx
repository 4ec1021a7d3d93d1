import { CLAIMS_MAX } from '../../domain/receipt-claim.ts';
import { useText } from '../texts.ts';
import { ButtonLink } from './elements.tsx';
import type { PageProps } from './props.ts';

/** On the page of an attempt without an outcome: the numbers sent, and the link to the form. */
export function ClaimLink({
  path,
  claimed,
}: Pick<PageProps, 'path'> & { readonly claimed: readonly string[] | null }) {
  const text = useText();
  return claimed === null ? null : (
    <>
      {claimed.length > 0 && (
        <p class="notice">
          {text.claimSent}{' '}
          {claimed.map((receipt, index) => (
            <>
              {index > 0 && ', '}
              <bdi>{receipt}</bdi>
            </>
          ))}
        </p>
      )}
      {claimed.length < CLAIMS_MAX && (
        <ButtonLink href={`${path}/claim`} look="second">
          {text.claimTitle}
        </ButtonLink>
      )}
    </>
  );
}
