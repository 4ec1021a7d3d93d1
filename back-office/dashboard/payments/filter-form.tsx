import { SEARCH_LENGTH_MAX } from '../../../src/engine/domain/search-key.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../../i18n/texts.ts';
import type { Problems } from '../../ui/fields.tsx';
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
      <label class="visually-hidden" for="search">
        {text.searchLabel}
      </label>
      <input
        id="search"
        type="search"
        name="search"
        value={value}
        placeholder={text.searchExample}
        required
        maxlength={SEARCH_LENGTH_MAX}
        autocomplete="off"
        spellcheck={false}
        aria-keyshortcuts="/"
      />
      <button type="submit" aria-label={text.search}>
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <path d="M13 13l5 5M14.5 8.5a6 6 0 1 1-12 0 6 6 0 0 1 12 0z" />
        </svg>
      </button>
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
  const chosen = fields.filter(({ value }) => value !== '').length;
  return (
    <details class="panel" open={hasProblems(form)}>
      <summary class="button">
        {text.filters}
        {chosen > 0 && ` (${chosen})`}
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
