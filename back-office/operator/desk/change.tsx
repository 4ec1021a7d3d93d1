import type { ComponentChildren } from 'preact';
import { seal, unseal } from '../../../src/crypto/sealed.ts';
import { isFromOwnPage } from '../../../src/http/form.ts';
import { Problem } from '../../../src/http/problem.ts';
import { operatorText } from '../../elements/operator-text.ts';
import type { DeskMessages } from '../../i18n/messages.ts';
import { DESK_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import { type FactRow, Facts, Field, Message, Section, SelectField } from '../../ui/elements.tsx';
import type { DeskCall, DeskRoute } from './call.ts';
import { formToken } from './form-token.ts';
import { answerDesk } from './frame.tsx';
import type { Item } from './paths.ts';

/** The fields that forms of the desk ask for. */
type FieldName = keyof DeskMessages['pages']['fieldProblems'];

export interface ChangeField {
  readonly name: FieldName;
  readonly label: string;
  readonly hint?: string;
  readonly lengthMax?: number;
  /** What the field holds at first. */
  readonly value?: string;
  readonly isOptional?: true;
  /** Makes it a select box, in which nothing is chosen at first. */
  readonly options?: readonly (readonly [value: string, text: string])[];
}

/** What the confirmation page shows. */
export interface Question {
  readonly active: Item;
  readonly title: string;
  /** What the change will do. */
  readonly lead: ComponentChildren;
  readonly facts: readonly FactRow[];
  readonly fields: readonly ChangeField[];
  /** Fields that the operator does not see. */
  readonly hidden?: Readonly<Record<string, string>>;
  readonly button: string;
  readonly tone?: 'bad';
  /** Where the operator goes without changing anything. */
  readonly back: string;
}

/** A change behind a confirmation page. */
export interface Change {
  readonly path: DeskRoute['path'];
  readonly ask: (call: DeskCall) => Promise<Question>;
  /** Makes the change. Problems 400, 403 and 409 lead back to the question. */
  readonly run: (call: DeskCall) => Promise<Done>;
}

/** Where the browser goes after the change, and the name of the message there. */
export interface Done {
  readonly path: string;
  readonly done: string;
}

/** GET asks, POST changes. Every POST redirects, so going back or reloading never posts again. */
export function routesOf({ path, ask, run }: Change): readonly DeskRoute[] {
  return [
    { method: 'GET', path, handle: (call) => answerQuestion(call, ask) },
    { method: 'POST', path, handle: (call) => answerChange(call, run) },
  ];
}

async function answerQuestion(call: DeskCall, ask: Change['ask']): Promise<Response> {
  const question = await ask(call);
  const { view, actor, isVerified } = call;
  const text = DESK_TEXTS[view.language].pages;
  const given = await givenBefore(call);
  const page = (
    <>
      <Refusal call={call} given={given} />
      <p>{question.lead}</p>
      <Section id="about" title={text.about}>
        <Facts rows={question.facts} />
      </Section>
      <form class="form" method="post" action={view.url.pathname} data-once="">
        <input type="hidden" name="csrf" value={await formToken(call)} />
        {Object.entries(question.hidden ?? {}).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {question.fields.map((field) => (
          <ChangeControl call={call} field={field} given={given} />
        ))}
        <p class="hint">
          {text.recordedAs} <bdi>{operatorText(view.language, actor.name, isVerified)}</bdi>
        </p>
        <div class="buttons">
          <button type="submit" class={question.tone}>
            {question.button}
          </button>
          <a class="button" href={question.back}>
            {text.cancel}
          </a>
        </div>
      </form>
    </>
  );
  return answerDesk(call, { active: question.active, title: question.title, children: page });
}

function ChangeControl(props: {
  readonly call: DeskCall;
  readonly field: ChangeField;
  readonly given: URLSearchParams;
}) {
  const { call, field, given } = props;
  const { name, label, hint, lengthMax, options } = field;
  const { choose, fieldProblems } = DESK_TEXTS[call.view.language].pages;
  const isWrong = (given.get('wrong') ?? '').split(',').includes(name);
  const error = isWrong ? fieldProblems[name] : null;
  const value = given.get(name) ?? field.value ?? '';
  return options === undefined ? (
    <Field id={name} label={label} hint={hint} error={error}>
      {(attributes) => (
        <input
          {...attributes}
          type="text"
          name={name}
          value={value}
          required={field.isOptional !== true}
          maxlength={lengthMax}
          autocomplete="off"
        />
      )}
    </Field>
  ) : (
    <SelectField
      id={name}
      label={label}
      options={[['', choose], ...options]}
      selected={value}
      error={error}
    />
  );
}

async function answerChange(call: DeskCall, run: Change['run']): Promise<Response> {
  try {
    const { path, done } = await run(call);
    return redirectTo(path, { done });
  } catch (error) {
    if (!(error instanceof Problem) || ![400, 403, 409].includes(error.status)) {
      throw error;
    }
    return redirectTo(`${call.url.pathname}?${await refusalQuery(call, error)}`);
  }
}

/** Longer than any field may be; bounds the length of the redirect. */
const GIVEN_LENGTH_MAX = 600;

/** The query parameter with what the operator had typed. */
const TYPED = 'typed';

/**
 * Why the change was refused, and what the operator had typed. That is sealed, because a note may
 * hold a phone number, and URLs end up in histories.
 */
async function refusalQuery(call: DeskCall, problem: Problem): Promise<URLSearchParams> {
  const { form, view, config } = call;
  const names = Object.keys(DESK_TEXTS[view.language].pages.fieldProblems);
  const typed = names.map((name) => [name, form.text(name).slice(0, GIVEN_LENGTH_MAX)]);
  const text = `${new URLSearchParams(typed)}`;
  return new URLSearchParams({
    refused: problem.code,
    wrong: Object.keys(problem.validationErrors ?? {}).join(','),
    [TYPED]: await seal(config.dataEncryptionKeys, text, typedContext(call)),
  });
}

/** Only this operator's form of the same change shows it. */
function typedContext({ actor, url }: DeskCall): string {
  return `desk/typed/${actor.name}${url.pathname}`;
}

/** A link on another site cannot fill the form or show a refusal: then it is empty. */
async function givenBefore(call: DeskCall): Promise<URLSearchParams> {
  const { request, view, config } = call;
  if (!isFromOwnPage(request)) {
    return new URLSearchParams();
  }
  const query = view.url.searchParams;
  const sealed = query.get(TYPED) ?? '';
  const typed = await unseal(config.dataEncryptionKeys, sealed, typedContext(call));
  const given = new URLSearchParams(typed ?? '');
  for (const name of ['refused', 'wrong']) {
    const value = query.get(name);
    if (value !== null) {
      given.set(name, value);
    }
  }
  return given;
}

function Refusal({ call, given }: { readonly call: DeskCall; readonly given: URLSearchParams }) {
  const { refused } = DESK_TEXTS[call.view.language].pages;
  const reason = given.get('refused');
  if (reason === null) {
    return null;
  }
  const known = Object.entries(refused).find(([name]) => name === reason);
  return (
    <Message tone="bad">
      <p>{known?.[1] ?? refused.other}</p>
    </Message>
  );
}
