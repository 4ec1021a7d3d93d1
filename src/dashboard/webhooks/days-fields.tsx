import { DASHBOARD_TEXTS } from '../../i18n/back-office.ts';
import { Field } from '../../ui/elements.tsx';
import type { DashboardCall } from '../call.ts';
import type { DaysForm } from '../days.ts';

/** The two day fields of a form, with what is wrong with them. */
export function DaysFields(props: { readonly call: DashboardCall; readonly days: DaysForm }) {
  const { call, days } = props;
  const text = DASHBOARD_TEXTS[call.language].events;
  return (
    <>
      {(['from', 'to'] as const).map((field) => (
        <Field
          id={field}
          label={text[field]}
          error={days.problem?.field === field ? text[days.problem.kind] : null}
        >
          {(attributes) => <input {...attributes} type="date" name={field} value={days[field]} />}
        </Field>
      ))}
    </>
  );
}
