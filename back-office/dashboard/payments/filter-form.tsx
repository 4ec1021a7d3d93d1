import { CURRENCIES, METHODS } from '../../../src/domain/method.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Field, ProblemList, SelectField } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
import { CalendarSwitch, DateField } from '../date-fields.tsx';
import { CsrfField } from '../forms.tsx';
import { paymentsPath } from '../paths.ts';
import {
  FILTER_FIELDS,
  type FilterField,
  type FilterForm,
  hasProblems,
  isRestricted,
  REFUND_CHOICES,
} from './filter.ts';
import { SEARCH_LENGTH_MAX } from './sealed-search.ts';

/**
 * Posted, though it changes nothing: the search may be a phone number, and addresses end up in logs
 * and browser histories.
 */
export function SearchForm(props: { readonly call: DashboardCall; readonly value?: string }) {
  const { call, value = '' } = props;
  const text = DASHBOARD_TEXTS[call.language].payments;
  return (
    <form class="search" method="post" action={paymentsPath(call.environment)}>
      <CsrfField session={call.session} />
      <Field id="search" label={text.searchLabel}>
        {(attributes) => (
          <div class="search-row">
            <input
              {...attributes}
              type="search"
              name="search"
              value={value}
              required
              maxlength={SEARCH_LENGTH_MAX}
              autocomplete="off"
              spellcheck={false}
            />
            <button type="submit">{text.search}</button>
          </div>
        )}
      </Field>
    </form>
  );
}

/** Closed unless there is a problem: the list is what the page is for. */
export function FilterPanel(props: { readonly call: DashboardCall; readonly form: FilterForm }) {
  const { call, form } = props;
  const text = DASHBOARD_TEXTS[call.language].payments;
  const { methodName } = CHECKOUT_TEXTS[call.language];
  const chosen = FILTER_FIELDS.filter(
    (field) => field !== 'status' && form.values[field] !== '',
  ).map((field) => text.field[field]);
  return (
    <details class="panel" open={hasProblems(form)}>
      <summary>
        {chosen.length === 0 ? text.filters : text.filtersChosen(chosen.join(', '))}
      </summary>
      <ProblemList call={call} problems={problemsOf(call, form)} />
      <form class="filters" method="get" action={paymentsPath(call.environment)}>
        {form.filter.status !== undefined && (
          <input type="hidden" name="status" value={form.filter.status} />
        )}
        <Choice
          call={call}
          form={form}
          field="method"
          choices={METHODS.map((method) => [method, methodName[method]])}
        />
        <Choice
          call={call}
          form={form}
          field="currency"
          choices={CURRENCIES.map((currency) => [currency, currency])}
        />
        <Choice
          call={call}
          form={form}
          field="refunds"
          choices={REFUND_CHOICES.map((choice) => [choice, text.refundChoice[choice]])}
        />
        {(['since', 'until'] as const).map((field) => (
          <DateField
            call={call}
            id={field}
            label={text.field[field]}
            error={problemOf(call, form, field)}
            value={form.values[field]}
          />
        ))}
        <AmountEntry call={call} form={form} field="min" />
        <AmountEntry call={call} form={form} field="max" />
        <div class="buttons">
          <button class="primary" type="submit">
            {text.apply}
          </button>
          {isRestricted(form) && (
            <a class="button" href={paymentsPath(call.environment)}>
              {text.clear}
            </a>
          )}
        </div>
      </form>
      <CalendarSwitch call={call} />
    </details>
  );
}

function problemsOf(call: DashboardCall, form: FilterForm) {
  const { field: labels } = DASHBOARD_TEXTS[call.language].payments;
  return FILTER_FIELDS.filter((field) => form.problems[field] !== undefined).map(
    (field) =>
      // The tabs have no field to go to.
      [
        field === 'status' ? null : (`#${field}` as const),
        `${labels[field]}: ${problemOf(call, form, field)}`,
      ] as const,
  );
}

function problemOf(call: DashboardCall, form: FilterForm, field: FilterField): string | null {
  const problem = form.problems[field];
  return problem === undefined ? null : DASHBOARD_TEXTS[call.language].payments.problem[problem];
}

interface FieldProps {
  readonly call: DashboardCall;
  readonly form: FilterForm;
  readonly field: FilterField;
}

function Choice(props: FieldProps & { readonly choices: readonly (readonly [string, string])[] }) {
  const { call, form, field, choices } = props;
  const text = DASHBOARD_TEXTS[call.language].payments;
  return (
    <SelectField
      id={field}
      label={text.field[field]}
      options={[['', text.any], ...choices]}
      selected={form.values[field]}
      error={problemOf(call, form, field)}
    />
  );
}

function AmountEntry({ call, form, field }: FieldProps) {
  const text = DASHBOARD_TEXTS[call.language].payments;
  return (
    <Field
      id={field}
      label={text.field[field]}
      hint={text.amountHint}
      error={problemOf(call, form, field)}
    >
      {(attributes) => (
        <input
          {...attributes}
          type="text"
          inputmode="decimal"
          name={field}
          value={form.values[field]}
          autocomplete="off"
        />
      )}
    </Field>
  );
}
