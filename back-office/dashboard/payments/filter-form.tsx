import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Field, ProblemList } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
import { CalendarSwitch } from '../date-fields.tsx';
import { CsrfField } from '../forms.tsx';
import { type FilterField, FilterForm } from '../list.tsx';
import { paymentsPath } from '../paths.ts';
import {
  FILTER_NAMES,
  type FilterName,
  FORM_NAMES,
  hasProblems,
  inputOf,
  isRestricted,
  type PaymentFilterForm,
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
export function FilterPanel(props: {
  readonly call: DashboardCall;
  readonly form: PaymentFilterForm;
}) {
  const { call, form } = props;
  const { values, filter } = form;
  const text = DASHBOARD_TEXTS[call.language].payments;
  const path = paymentsPath(call.environment);
  const fields = fieldsOf(call, form);
  const chosen = fields.filter(({ value }) => value !== '').map(({ label }) => label);
  return (
    <details class="panel" open={hasProblems(form)}>
      <summary>
        {chosen.length === 0 ? text.filters : text.filtersChosen(chosen.join(', '))}
      </summary>
      <ProblemList call={call} problems={problemsOf(call, form)} />
      <FilterForm call={call} action={path} fields={fields}>
        {filter.status !== undefined && <input type="hidden" name="status" value={values.status} />}
        <div class="buttons">
          <button class="primary" type="submit">
            {text.apply}
          </button>
          {isRestricted(form) && (
            <a class="button" href={path}>
              {text.clear}
            </a>
          )}
        </div>
      </FilterForm>
      <CalendarSwitch call={call} />
    </details>
  );
}

function fieldsOf(call: DashboardCall, form: PaymentFilterForm): readonly FilterField[] {
  const text = DASHBOARD_TEXTS[call.language].payments;
  return FORM_NAMES.map((name) => {
    const input = inputOf(name);
    return {
      name,
      label: text.field[name],
      value: form.values[name],
      error: problemOf(call, form, name),
      input: typeof input === 'function' ? [['', text.any], ...input(call)] : input,
    };
  });
}

function problemsOf(call: DashboardCall, form: PaymentFilterForm) {
  const { field: labels } = DASHBOARD_TEXTS[call.language].payments;
  return FILTER_NAMES.filter((name) => form.problems[name] !== undefined).map(
    (name) =>
      // The tabs have no field to go to.
      [
        name === 'status' ? null : (`#${name}` as const),
        `${labels[name]}: ${problemOf(call, form, name)}`,
      ] as const,
  );
}

function problemOf(
  call: DashboardCall,
  { problems }: PaymentFilterForm,
  name: FilterName,
): string | null {
  const problem = problems[name];
  return problem === undefined ? null : DASHBOARD_TEXTS[call.language].payments.problem[problem];
}
