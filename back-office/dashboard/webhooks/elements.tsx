import { endpointOrigin } from '../../../src/engine/webhooks/endpoints.ts';
import { SIGNATURE_HEADER_CHARACTERS_MAX } from '../../../src/engine/webhooks/signature-header.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DeliveryError } from '../../elements/delivery-error.tsx';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { TextField } from '../../ui/fields.tsx';
import { may, useCall } from '../call.ts';

/** The two days in a form's query. */
export const DAY_NAMES = { from: 'from', to: 'to' } as const;

/** Developers see the whole address, others its origin: the rest may hold a secret of the merchant's. */
export function shownAddress(url: string): string {
  const call = useCall();
  return may(call, 'develop') ? url : (endpointOrigin(url) ?? '');
}

/** What forms have changed. It takes some seconds to reach all of the gateway. */
export function useDoneTexts(): Readonly<Record<string, string>> {
  const { done, lag } = useTexts(DASHBOARD_TEXTS).webhooks;
  return Object.fromEntries(Object.entries(done).map(([name, text]) => [name, `${text} ${lag}`]));
}

/** The field for the name of an extra signature header; empty: none. */
export function SignatureHeaderField({ value }: { readonly value: string }) {
  const text = useTexts(DASHBOARD_TEXTS).webhooks;
  return (
    <TextField
      id="signatureHeader"
      label={text.signatureHeader}
      hint={text.signatureHeaderHint}
      value={value}
      maxlength={SIGNATURE_HEADER_CHARACTERS_MAX}
      required={false}
    />
  );
}

/** The result of a try: the HTTP status, or why there was none. */
export function Outcome(props: {
  readonly httpStatus: number | null;
  readonly error: string | null;
}) {
  const { httpStatus, error } = props;
  return error === null ? (
    <code lang="en">{`HTTP ${httpStatus}`}</code>
  ) : (
    <DeliveryError error={error} />
  );
}
