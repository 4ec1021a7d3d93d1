import { CURRENCIES, METHODS } from '../../domain/method.ts';
import { CHECKOUT_TEXTS, DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { Field, Message } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
import { CsrfField } from '../forms.tsx';
import {
  FILTER_FIELDS,
  type FilterField,
  type FilterForm,
  isRestricted,
  STATUSES,
} from './filter.ts';
import { paymentsPath } from './paths.ts';

/**
 * Posted, though it changes nothing: what is searched for may be a phone number, and addresses end
 * up in logs and histories.
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

/** The longest id, and blanks round it. */
export const SEARCH_LENGTH_MAX = 300;

/** Closed until somebody filters: the list is what a page of payments is for. */
export function FilterPanel(props: { readonly call: DashboardCall; readonly form: FilterForm }) {
  const { call, form } = props;
  const text = DASHBOARD_TEXTS[call.language].payments;
  return (
    <details class="panel" open={isRestricted(form)}>
      <summary>{text.filters}</summary>
      <ProblemList call={call} form={form} />
      <form class="filters" method="get" action={paymentsPath(call.environment)}>
        <Choice call={call} form={form} field="status" choices={statusChoices(call)} />
        <Choice call={call} form={form} field="method" choices={methodChoices(call)} />
        <Choice call={call} form={form} field="currency" choices={CURRENCIES.map(same)} />
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

/** What is wrong, on top, with the ways to the fields. */
function ProblemList({ call, form }: { readonly call: DashboardCall; readonly form: FilterForm }) {
  const text = DASHBOARD_TEXTS[call.language].payments;
  const wrong = FILTER_FIELDS.filter((field) => form.problems[field] !== undefined);
  return wrong.length === 0 ? null : (
    <Message tone="bad">
      <p>
        <strong>{DASHBOARD_TEXTS[call.language].frame.problemTitle}</strong>
      </p>
      <ul>
        {wrong.map((field) => (
          <li>
            <a href={`#${field}`}>
              {text.field[field]}: {problemOf(call, form, field)}
            </a>
          </li>
        ))}
      </ul>
    </Message>
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
  const value = form.values[field];
  return (
    <Field id={field} label={text.field[field]} error={problemOf(call, form, field)}>
      {(attributes) => (
        <select {...attributes} name={field}>
          <option value="">{text.any}</option>
          {choices.map(([choice, name]) => (
            <option value={choice} selected={choice === value}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
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
        // A date field would hide a text that is no date.
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

function statusChoices(call: DashboardCall) {
  return STATUSES.map(
    (status) => [status, DASHBOARD_TEXTS[call.language].statuses[status]] as const,
  );
}

function methodChoices(call: DashboardCall) {
  return METHODS.map(
    (method) => [method, CHECKOUT_TEXTS[call.language].methodName[method]] as const,
  );
}

function same(text: string) {
  return [text, text] as const;
}
