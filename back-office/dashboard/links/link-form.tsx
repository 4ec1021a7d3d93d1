import { METHODS } from '../../../src/engine/domain/method.ts';
import {
  ASKED,
  ASKING,
  LINK_TEXT_CHARACTERS_MAX,
  TITLE_CHARACTERS_MAX,
} from '../../../src/engine/links/payment-link.ts';
import { CURRENCIES } from '../../../src/kit/money.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Choice, Field, SelectField, TextField } from '../../ui/fields.tsx';
import { PostForm, Submit } from '../forms.tsx';
import { itemField, itemPlaces, type TypedLink } from './form.ts';

const KINDS = ['fixed', 'open', 'items'] as const;

/**
 * The form of a new or a known link. The fields of a kind of price appear with its choice, without a
 * script; old browsers always show all of them.
 */
export function LinkForm(props: {
  readonly action: string;
  readonly typed: TypedLink;
  readonly button: string;
  readonly isNew: boolean;
}) {
  const { action, typed, button, isNew } = props;
  const text = useTexts(DASHBOARD_TEXTS).links;
  const value = (name: string) => typed[name] ?? '';
  return (
    <PostForm action={action} class="form" once={isNew} novalidate>
      <TextField
        id="title"
        label={text.titleField}
        hint={text.titleHint}
        value={value('title')}
        maxlength={TITLE_CHARACTERS_MAX}
      />
      <fieldset>
        <legend>{text.kind}</legend>
        {KINDS.map((kind) => (
          <div class="price-kind">
            <Choice type="radio" name="kind" value={kind} checked={value('kind') === kind}>
              {text.kinds[kind]}
            </Choice>
            <div class="column">
              <PriceFields kind={kind} typed={typed} />
            </div>
          </div>
        ))}
      </fieldset>
      <fieldset>
        <legend>{text.askFor}</legend>
        <div class="column">
          {ASKED.map((name) => (
            <SelectField
              id={`ask-${name}`}
              label={text.asked[name]}
              options={ASKING.map((asking) => [asking, text.asking[asking]] as const)}
              selected={value(`ask-${name}`)}
            />
          ))}
        </div>
      </fieldset>
      <details class="panel">
        <summary>{text.more}</summary>
        <div class="column">
          <MoreFields typed={typed} />
        </div>
      </details>
      <Submit label={button} />
    </PostForm>
  );
}

function PriceFields({
  kind,
  typed,
}: {
  readonly kind: (typeof KINDS)[number];
  readonly typed: TypedLink;
}) {
  const text = useTexts(DASHBOARD_TEXTS).links;
  switch (kind) {
    case 'fixed':
      return <AmountField id="amount" label={text.amount} typed={typed} />;
    case 'open':
      return (
        <>
          <AmountField id="min" label={text.min} typed={typed} />
          <AmountField id="max" label={text.max} typed={typed} />
          <TextField
            id="suggestions"
            label={text.suggestions}
            hint={text.suggestionsHint}
            value={typed.suggestions ?? ''}
            required={false}
          />
        </>
      );
    case 'items':
      return (
        <>
          {itemPlaces(typed).map((index) => (
            <fieldset class="card">
              <legend>{text.item(String(index + 1))}</legend>
              <TextField
                id={itemField(index, 'name')}
                label={text.itemName}
                value={typed[itemField(index, 'name')] ?? ''}
                maxlength={TITLE_CHARACTERS_MAX}
                required={false}
              />
              <AmountField id={itemField(index, 'price')} label={text.itemPrice} typed={typed} />
              <AmountField id={itemField(index, 'most')} label={text.itemMost} typed={typed} />
              <input
                type="hidden"
                name={itemField(index, 'type')}
                value={typed[itemField(index, 'type')] ?? ''}
              />
            </fieldset>
          ))}
        </>
      );
  }
}

function AmountField(props: {
  readonly id: string;
  readonly label: string;
  readonly typed: TypedLink;
}) {
  const { id, label, typed } = props;
  return (
    <TextField id={id} label={label} inputmode="decimal" value={typed[id] ?? ''} required={false} />
  );
}

function MoreFields({ typed }: { readonly typed: TypedLink }) {
  const text = useTexts(DASHBOARD_TEXTS).links;
  const { methodName } = useTexts(CHECKOUT_TEXTS);
  const chosen = (typed.methods ?? '').split(',');
  return (
    <>
      <LongField id="description" label={text.description} typed={typed} />
      <SelectField
        id="currency"
        label={text.currency}
        options={CURRENCIES.map((currency) => [currency, currency] as const)}
        selected={typed.currency ?? ''}
      />
      <SelectField
        id="commission"
        label={text.commission}
        options={(['merchant', 'customer'] as const).map((by) => [by, text.commissionBy[by]])}
        selected={typed.commission ?? ''}
      />
      <fieldset>
        <legend>{text.methods}</legend>
        {METHODS.map((method) => (
          <Choice type="checkbox" name="method" value={method} checked={chosen.includes(method)}>
            {methodName[method]}
          </Choice>
        ))}
      </fieldset>
      <TextField
        id="validUntil"
        label={text.validUntil}
        hint={text.validUntilHint}
        value={typed.validUntil ?? ''}
        required={false}
      />
      <TextField
        id="paymentsMax"
        label={text.paymentsMax}
        hint={text.paymentsMaxHint}
        inputmode="decimal"
        value={typed.paymentsMax ?? ''}
        required={false}
      />
      <LongField id="paidText" label={text.paidText} typed={typed} />
      <TextField
        id="returnUrl"
        type="url"
        label={text.returnUrl}
        value={typed.returnUrl ?? ''}
        required={false}
      />
      <p class="hint">{text.byApi}</p>
    </>
  );
}

function LongField(props: {
  readonly id: 'description' | 'paidText';
  readonly label: string;
  readonly typed: TypedLink;
}) {
  const { id, label, typed } = props;
  return (
    <Field id={id} label={label}>
      {(attributes) => (
        <textarea {...attributes} name={id} rows={3} maxlength={LINK_TEXT_CHARACTERS_MAX}>
          {typed[id] ?? ''}
        </textarea>
      )}
    </Field>
  );
}
