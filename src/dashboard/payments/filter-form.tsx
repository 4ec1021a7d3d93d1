import { CURRENCIES, METHODS } from '../../domain/method.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { Field, ProblemList, SelectField } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
import { CsrfField } from '../forms.tsx';
import { paymentsPath } from '../paths.ts';
import {
  FILTER_FIELDS,
  type FilterField,
  type FilterForm,
  isRestricted,
  STATUSES,
} from './filter.ts';

/** The longest id, with blanks around it. */
const SEARCH_LENGTH_MAX = 300;

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
      <Field id="search" label={text.searchLabel} hint={text.searchHint}>
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

/** Closed until the member filters: the list is what the page is for. */
export function FilterPanel(props: { readonly call: DashboardCall; readonly form: FilterForm }) {
  const { call, form } = props;
  const { payments: text, statuses } = DASHBOARD_TEXTS[call.language];
  const { methodName } = CHECKOUT_TEXTS[call.language];
  return (
    <details class="panel" open={isRestricted(form)}>
      <summary>{text.filters}</summary>
      <ProblemList call={call} problems={problemsOf(call, form)} />
      <form class="filters" method="get" action={paymentsPath(call.environment)}>
        <Choice
          call={call}
          form={form}
          field="status"
          choices={STATUSES.map((status) => [status, statuses[status]])}
        />
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
        <Entry call={call} form={form} field="since" type="date" hint={text.dateHint} />
        <Entry call={call} form={form} field="until" type="date" hint={text.dateHint} />
        <Entry call={call} form={form} field="min" type="text" hint={text.amountHint} />
        <Entry call={call} form={form} field="max" type="text" hint={text.amountHint} />
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
    </details>
  );
}

function problemsOf(call: DashboardCall, form: FilterForm) {
  const { field: labels } = DASHBOARD_TEXTS[call.language].payments;
  return FILTER_FIELDS.filter((field) => form.problems[field] !== undefined).map(
    (field) => [`#${field}`, `${labels[field]}: ${problemOf(call, form, field)}`] as const,
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

function Entry(props: FieldProps & { readonly type: 'date' | 'text'; readonly hint: string }) {
  const { call, form, field, type, hint } = props;
  const error = problemOf(call, form, field);
  const common = { name: field, value: form.values[field], autocomplete: 'off' } as const;
  return (
    <Field
      id={field}
      label={DASHBOARD_TEXTS[call.language].payments.field[field]}
      hint={hint}
      error={error}
    >
      {(attributes) =>
        // A date field would not show a text that is no date.
        type === 'date' && error === null ? (
          <input {...attributes} {...common} type="date" />
        ) : (
          <input
            {...attributes}
            {...common}
            type="text"
            inputmode={type === 'text' ? 'decimal' : undefined}
          />
        )
      }
    </Field>
  );
}
