import { useTexts } from '../../../src/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import { Field, type Problems } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
import { useCall } from '../call.ts';
import { CalendarSwitch } from '../date-fields.tsx';
import { CsrfField } from '../forms.tsx';
import { type FilterField, FilterForm } from '../list.tsx';
import { paymentsPath } from '../paths.ts';
import {
  FILTER_NAMES,
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
export function SearchForm(props: { readonly value?: string }) {
  const call = useCall();
  const { value = '' } = props;
  const text = useTexts(DASHBOARD_TEXTS).payments;
  return (
    <form class="search" method="post" action={paymentsPath(call.environment)}>
      <CsrfField />
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
export function FilterPanel(props: { readonly form: PaymentFilterForm }) {
  const call = useCall();
  const { form } = props;
  const { values, filter } = form;
  const text = useTexts(DASHBOARD_TEXTS).payments;
  const path = paymentsPath(call.environment);
  const fields = fieldsOf(form);
  const chosen = fields.filter(({ value }) => value !== '').map(({ label }) => label);
  return (
    <details class="panel" open={hasProblems(form)}>
      <summary>
        {chosen.length === 0 ? text.filters : text.filtersChosen(chosen.join(', '))}
      </summary>
      <FilterForm action={path} fields={fields}>
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
      <CalendarSwitch />
    </details>
  );
}

function fieldsOf(form: PaymentFilterForm): readonly FilterField[] {
  const call = useCall();
  const text = useTexts(DASHBOARD_TEXTS).payments;
  return FORM_NAMES.map((name) => {
    const input = inputOf(name);
    return {
      name,
      label: text.field[name],
      value: form.values[name],
      input: typeof input === 'function' ? [['', text.any], ...input(call)] : input,
    };
  });
}

/** What is wrong with the filters. */
export function filterProblems(
  { language }: DashboardCall,
  { problems }: PaymentFilterForm,
): Problems {
  const { field: labels, problem: texts } = DASHBOARD_TEXTS[language].payments;
  return FILTER_NAMES.flatMap((name) => {
    const problem = problems[name];
    // The tabs have no field to go to.
    const field = name === 'status' ? null : name;
    return problem === undefined ? [] : [[field, texts[problem], labels[name]] as const];
  });
}
