import type { ComponentChildren } from 'preact';
import { countText, moneyText } from '../../../kit/i18n/money-text.ts';
import type { Currency } from '../../../kit/money.ts';
import { majorText } from '../../../kit/money.ts';
import { useTexts } from '../../../kit/ui/texts.ts';
import { LINK_TEXTS, type LinkMessages } from '../../i18n/payment-link.ts';
import { type FieldProblem, OTHER_AMOUNT, quantityField, TYPED_MAX } from '../../links/choice.ts';
import type { Asked, LinkPrice, PaymentLink } from '../../links/payment-link.ts';
import type { RefusedLinkForm } from '../refused-link-form.ts';
import { useText } from '../texts.ts';

/** The fields of a payment link's page, each with what is wrong with it. */

export interface FieldsProps {
  readonly link: PaymentLink;
  readonly refused: RefusedLinkForm | null;
  /** The first field that is wrong. */
  readonly focused: string | null;
}

function typedIn({ refused }: FieldsProps, field: string): string | undefined {
  return refused?.typed[field];
}

function problemIn({ refused }: FieldsProps, field: string): FieldProblem | null {
  return refused?.problems[field] ?? null;
}

/** What describes a field: its problem, else its hint. */
function Hint(props: {
  readonly id: string;
  readonly problem: string | null;
  readonly children?: ComponentChildren;
}) {
  const { id, problem } = props;
  if (problem === null && !props.children) {
    return null;
  }
  return (
    <p class={problem === null ? 'quiet small' : 'field-problem'} id={`${id}-hint`}>
      {problem ?? props.children}
    </p>
  );
}

export function AmountFields(
  props: FieldsProps & { readonly price: Extract<LinkPrice, { kind: 'open' }> },
) {
  const { link, price, focused } = props;
  const { locale } = useText();
  const words = useTexts(LINK_TEXTS);
  const money = (minor: number) => moneyText(minor, link.currency, locale);
  const found = problemIn(props, 'amount');
  const problem = found && problemText(words, 'amount', found, link.currency, locale);
  const { leastMinor, mostMinor, suggestionsMinor } = price;
  const hint =
    mostMinor === null
      ? words.amountHint(money(leastMinor))
      : words.amountRange(money(leastMinor), money(mostMinor));
  const chosen = typedIn(props, 'suggestion') ?? String(suggestionsMinor[0] ?? OTHER_AMOUNT);
  const field = (
    <input
      id="amount"
      name="amount"
      inputmode="decimal"
      autocomplete="off"
      maxlength={TYPED_MAX.amount}
      value={typedIn(props, 'amount')}
      placeholder={majorText(leastMinor).replace('.00', '')}
      autofocus={focused === 'amount'}
      aria-invalid={problem === null ? undefined : 'true'}
      aria-describedby="amount-hint"
    />
  );
  if (suggestionsMinor.length === 0) {
    return (
      <div class="ask">
        <label for="amount">
          {words.amount} ({link.currency})
        </label>
        <Hint id="amount" problem={problem}>
          {hint}
        </Hint>
        {field}
      </div>
    );
  }
  return (
    <fieldset class="group">
      <legend>{words.amount}</legend>
      <div>
        {[...suggestionsMinor.map(String), OTHER_AMOUNT].map((value) => (
          <label class="method">
            <input type="radio" name="suggestion" value={value} checked={value === chosen} />
            <span class="method-text method-name">
              {value === OTHER_AMOUNT ? words.otherAmount : money(Number(value))}
            </span>
          </label>
        ))}
      </div>
      <div class="ask">
        <label for="amount">
          {words.otherAmount} ({link.currency})
        </label>
        <Hint id="amount" problem={problem}>
          {hint}
        </Hint>
        {field}
      </div>
    </fieldset>
  );
}

export function ItemFields(
  props: FieldsProps & { readonly price: Extract<LinkPrice, { kind: 'items' }> },
) {
  const { link, price, focused } = props;
  const { locale } = useText();
  const words = useTexts(LINK_TEXTS);
  const textOf = (field: string) => {
    const found = problemIn(props, field);
    return found && problemText(words, field, found, link.currency, locale);
  };
  const isOnly = price.items.length === 1;
  return (
    <fieldset class="group">
      <legend>{words.chooseItems}</legend>
      <Hint id="items" problem={textOf('items')} />
      <div>
        {price.items.map((item, index) => {
          const field = quantityField(index);
          const problem = textOf(field);
          return (
            <div class="pick">
              <div>
                <label for={field}>
                  <span class="visually-hidden">{words.quantityOf('')}</span>
                  <bdi>{item.name}</bdi>
                </label>
                <p class="quiet small">{moneyText(item.priceMinor, link.currency, locale)}</p>
                {item.description !== null && (
                  <p class="quiet small words">
                    <bdi>{item.description}</bdi>
                  </p>
                )}
              </div>
              <input
                id={field}
                name={field}
                type="text"
                inputmode="numeric"
                autocomplete="off"
                maxlength={4}
                value={typedIn(props, field) ?? (isOnly ? '1' : '')}
                placeholder="0"
                autofocus={focused === field}
                aria-invalid={problem === null ? undefined : 'true'}
                aria-describedby={problem === null ? undefined : `${field}-hint`}
              />
              <Hint id={field} problem={problem} />
            </div>
          );
        })}
      </div>
    </fieldset>
  );
}

const ENTRY = {
  name: { type: 'text', autocomplete: 'name' },
  phone: { type: 'tel', autocomplete: 'tel' },
  email: { type: 'email', autocomplete: 'email' },
} as const;

export function AskedField(props: FieldsProps & { readonly name: Asked }) {
  const { link, name, focused } = props;
  const { locale } = useText();
  const words = useTexts(LINK_TEXTS);
  const found = problemIn(props, name);
  const problem = found && problemText(words, name, found, link.currency, locale);
  const common = {
    id: name,
    name,
    maxlength: TYPED_MAX[name],
    autofocus: focused === name,
    'aria-invalid': problem === null ? undefined : ('true' as const),
    'aria-describedby': problem === null ? undefined : `${name}-hint`,
  };
  return (
    <div class="ask">
      <label for={name}>
        {words.asked[name]}
        {link.askFor[name] === 'OPTIONAL' && <span class="quiet small"> ({words.optional})</span>}
      </label>
      <Hint id={name} problem={problem} />
      {name === 'note' ? (
        <textarea {...common} rows={2}>
          {typedIn(props, name)}
        </textarea>
      ) : (
        <input
          {...common}
          {...ENTRY[name]}
          required={link.askFor[name] === 'REQUIRED'}
          value={typedIn(props, name)}
        />
      )}
    </div>
  );
}

function problemText(
  words: LinkMessages,
  field: string,
  problem: FieldProblem,
  currency: Currency,
  locale: string,
): string {
  switch (problem.kind) {
    case 'missing':
      return words.missing;
    case 'both':
      return words.bothAmounts;
    case 'nothing_chosen':
      return words.nothingChosen;
    case 'invalid':
      return invalidText(words, field);
    case 'too_small':
    case 'too_large': {
      const { limitMinor } = problem;
      const limit = limitMinor === null ? null : moneyText(limitMinor, currency, locale);
      return problem.kind === 'too_small' ? words.tooSmall(limit) : words.tooLarge(limit);
    }
    case 'too_many':
      return words.tooMany(countText(problem.limit, locale));
    case 'too_long':
      return words.tooLong(countText(problem.limit, locale));
  }
}

function invalidText(words: LinkMessages, field: string): string {
  switch (field) {
    case 'amount':
      return words.invalidAmount;
    case 'phone':
      return words.invalidPhone;
    case 'email':
      return words.invalidEmail;
    default:
      return field.startsWith('quantity-') ? words.invalidQuantity : words.invalidText;
  }
}
