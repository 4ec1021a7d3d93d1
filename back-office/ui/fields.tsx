import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { useTexts } from '../../src/kit/ui/texts.ts';
import { DASHBOARD_TEXTS } from '../i18n/texts.ts';
import { Message } from './elements.tsx';

/**
 * What is wrong with a rejected form, each with the id of its field, or null for the whole form. The
 * list at the top of the page begins with `label` where the text alone does not name the field.
 */
export type Problems = readonly (readonly [field: string | null, text: string, label?: string])[];

/** The problems of the page that is being rendered. Each field shows its own. */
export const PageProblems = createContext<Problems>([]);

/** What is wrong with the field of that id; null if nothing is. */
export function useProblem(id: string): string | null {
  const problem = useContext(PageProblems).find(([field]) => field === id);
  return problem?.[1] ?? null;
}

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | null | undefined;
}

/** A labeled control with its hint and its error, linked for screen readers. */
export function Field(
  props: FieldProps & {
    /** Receives the ids of its descriptions. */
    readonly children: (attributes: {
      readonly id: string;
      readonly 'aria-describedby': string | undefined;
      readonly 'aria-invalid': 'true' | undefined;
    }) => ComponentChildren;
  },
) {
  const { id, label, hint } = props;
  const ownProblem = useProblem(id);
  const error = props.error ?? ownProblem;
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <FieldError id={id} error={error} />
      {props.children({
        id,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': error ? 'true' : undefined,
      })}
    </div>
  );
}

export function FieldError(props: { readonly id: string; readonly error: ComponentChildren }) {
  const { id, error } = props;
  return error ? (
    <p class="error" id={`${id}-error`}>
      {error}
    </p>
  ) : null;
}

/** A labeled select box. */
export function SelectField(props: {
  readonly id: string;
  /** The name of the form field; defaults to the id. */
  readonly name?: string;
  readonly label: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly selected: string;
  readonly error?: string | null | undefined;
}) {
  const { id, name = id, label, options, selected, error } = props;
  return (
    <Field id={id} label={label} error={error}>
      {(attributes) => (
        <select {...attributes} name={name}>
          {options.map(([value, text]) => (
            <option value={value} selected={value === selected && value !== ''}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A one-line text field. Its name defaults to its id. */
export function TextField(
  props: FieldProps & {
    readonly type?: 'text' | 'url' | 'password';
    readonly inputmode?: 'decimal' | 'tel' | undefined;
    readonly name?: string;
    readonly value: string;
    readonly maxlength?: number;
    readonly autocomplete?: string;
    readonly readonly?: boolean;
    /** Defaults to true. */
    readonly required?: boolean;
  },
) {
  const { id, type = 'text', name = id, value, autocomplete = 'off', required = true } = props;
  return (
    <Field {...props}>
      {(attributes) => (
        <input
          {...attributes}
          {...typed(type, props.inputmode)}
          name={name}
          value={value}
          required={required}
          readonly={props.readonly}
          maxlength={props.maxlength}
          autocomplete={autocomplete}
        />
      )}
    </Field>
  );
}

/** Only text has an input mode; a browser's types differ in what else they may have. */
function typed(type: 'text' | 'url' | 'password', inputmode: 'decimal' | 'tel' | undefined) {
  if (type === 'text') {
    return { type, inputmode };
  }
  return type === 'url' ? { type } : { type };
}

/** A radio button or a checkbox with its label. */
export function Choice(props: {
  readonly type: 'radio' | 'checkbox';
  readonly name: string;
  readonly value: string;
  readonly id?: string | undefined;
  readonly checked?: boolean;
  readonly disabled?: boolean;
  readonly children: ComponentChildren;
}) {
  const { children, ...input } = props;
  return (
    <label class="choice">
      <input {...input} />
      {children}
    </label>
  );
}

/** The page's problems, at its top, with links to the fields. */
export function ProblemList() {
  const { problemTitle } = useTexts(DASHBOARD_TEXTS).frame;
  const problems = useContext(PageProblems);
  return problems.length === 0 ? null : (
    <Message tone="bad">
      <p>{problemTitle}</p>
      <ul>
        {problems.map(([field, text, label]) => {
          const problem = label === undefined ? text : `${label}: ${text}`;
          return <li>{field === null ? problem : <a href={`#${field}`}>{problem}</a>}</li>;
        })}
      </ul>
    </Message>
  );
}
