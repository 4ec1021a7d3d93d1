import { useTexts } from '../../../kit/ui/texts.ts';
import type { Attempt } from '../../domain/attempt.ts';
import { CLAIM_TEXT_LENGTH_MAX, CLAIMS_MAX } from '../../domain/receipt-claim.ts';
import { CLAIM_TEXTS } from '../../i18n/claim.ts';
import { useText } from '../texts.ts';
import { ButtonLink, Headline } from './elements.tsx';
import { Frame } from './frame.tsx';
import type { PageProps } from './props.ts';

/** Where a customer types the number of the message that says they paid. */
export function ClaimPage(
  props: PageProps & { readonly attempt: Attempt; readonly isWrong: boolean },
) {
  const { path, attempt, isWrong } = props;
  const text = useTexts(CLAIM_TEXTS);
  const { methodName, claimTitle } = useText();
  const { claimedReceipts = [] } = attempt;
  return (
    <Frame {...props} ownPath={`${path}/claim`} title={claimTitle} isPayable>
      <Headline tone="wait">{claimTitle}</Headline>
      {claimedReceipts.length >= CLAIMS_MAX ? (
        <p>{text.full}</p>
      ) : (
        <form class="stack" method="post" action={`${path}/claim`} data-once>
          <p>{text.lead(methodName[attempt.method])}</p>
          <input type="hidden" name="attempt" value={attempt.id} />
          <div class="claim">
            <label for="receipt">{text.label}</label>
            <p class={isWrong ? 'field-problem' : 'quiet small'} id="receipt-hint">
              {isWrong ? text.wrong : text.hint}
            </p>
            <input
              id="receipt"
              name="receipt"
              autocomplete="off"
              autocapitalize="characters"
              spellcheck={false}
              maxlength={CLAIM_TEXT_LENGTH_MAX}
              required
              autofocus={isWrong}
              aria-invalid={isWrong ? 'true' : undefined}
              aria-describedby="receipt-hint"
            />
          </div>
          <button class="button primary" type="submit">
            {text.send}
          </button>
        </form>
      )}
      <ButtonLink href={path} look="plain">
        {text.back}
      </ButtonLink>
    </Frame>
  );
}
