import { BANK_CODE_CHARACTERS_MAX } from '../../../src/control/merchants/bank-code.ts';
import type {
  BankCodeChange,
  StoredBankCode,
} from '../../../src/control/merchants/change-bank-code.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Facts, Message, Section, untrustedRow } from '../../ui/elements.tsx';
import { Field } from '../../ui/fields.tsx';
import { ButtonForm, PostForm, Submit } from '../forms.tsx';
import { BRANDING_PATH } from '../paths.ts';
import { ConfirmedForm } from '../people/passkey-form.tsx';

export type UnconfirmedBankCode = Extract<BankCodeChange, { type: 'unconfirmed' }>;

export interface BankCodeProps {
  readonly stored: StoredBankCode;
  /** As the member sent it. */
  readonly typed: string;
  readonly unconfirmed: UnconfirmedBankCode | null;
}

const PATH = `${BRANDING_PATH}/bank-code`;

/** The national QR text on signs: what a bank app would show of it comes before it is used. */
export function BankCodeCard({ stored, typed, unconfirmed }: BankCodeProps) {
  const text = useTexts(DASHBOARD_TEXTS).branding.bankCode;
  return (
    <Section id="bank-code" title={text.title}>
      <p class="small quiet">{text.note}</p>
      {unconfirmed && <Confirmation typed={typed} unconfirmed={unconfirmed} />}
      {stored && (
        <>
          <h3>{text.onSigns}</h3>
          <CodeFacts code={stored.code} />
          <ButtonForm action={PATH} label={text.remove} fields={{ bankCode: '' }} />
        </>
      )}
      <PostForm action={PATH} class="form">
        <Field id="bankCode" label={text.label} hint={text.hint}>
          {(attributes) => (
            <textarea
              {...attributes}
              name="bankCode"
              rows={4}
              required
              spellcheck={false}
              // Twice, so that a text that is too long is not cut: its checksum would be wrong.
              maxlength={2 * BANK_CODE_CHARACTERS_MAX}
            >
              {typed}
            </textarea>
          )}
        </Field>
        <Submit label={text.check} isPlain />
      </PostForm>
    </Section>
  );
}

function Confirmation(
  props: Pick<BankCodeProps, 'typed'> & { readonly unconfirmed: UnconfirmedBankCode },
) {
  const { code, isOwnName } = props.unconfirmed;
  const text = useTexts(DASHBOARD_TEXTS).branding.bankCode;
  const warnings = [
    !isOwnName && text.otherName,
    code.isForOnePayment && text.onePayment,
    code.amount !== null && text.fixedAmount,
  ];
  return (
    <Message tone="warning">
      <h3>{text.question}</h3>
      <CodeFacts code={code} />
      {warnings.map((warning) => warning && <p>{warning}</p>)}
      <ConfirmedForm
        ceremony="bank-code"
        path={PATH}
        hint={text.confirmHint}
        fields={{ bankCode: props.typed, confirmedName: code.name }}
      >
        <Submit label={text.confirm} />
      </ConfirmedForm>
    </Message>
  );
}

function CodeFacts({ code }: Pick<NonNullable<StoredBankCode>, 'code'>) {
  const text = useTexts(DASHBOARD_TEXTS).branding.bankCode;
  return (
    <Facts
      rows={[
        untrustedRow(text.name, code.name),
        untrustedRow(text.nameToo, code.otherName),
        untrustedRow(text.city, code.city),
        untrustedRow(text.amount, code.amount),
      ]}
    />
  );
}
