import { seal, unseal } from '../../../src/kit/crypto/sealed.ts';
import { isFromOwnPage } from '../../../src/kit/http/form.ts';
import { Problem } from '../../../src/kit/http/problem.ts';
import { useTexts } from '../../../src/kit/ui/texts.ts';
import { useOperatorText } from '../../elements/operator-text.ts';
import { DASHBOARD_TEXTS, DESK_TEXTS } from '../../i18n/texts.ts';
import { redirectTo } from '../../ui/answer.ts';
import { ButtonLink, Facts, Message, Section } from '../../ui/elements.tsx';
import { SelectField, TextField } from '../../ui/fields.tsx';
import type {
  ActionForm,
  FieldName,
  Fields,
  FormTexts,
  Input,
  OperatorAction,
  TextName,
} from '../actions/action.ts';
import { ACTIONS } from '../actions/all.ts';
import type { PathParts } from '../call.ts';
import { type DeskCall, type DeskRoute, type Shown, useDesk } from './call.ts';
import { chosenIn, chosenQuery, decidedQuery } from './chosen.tsx';
import { answerDesk, Frame } from './frame.tsx';
import { readSubject, SUBJECTS, subjectPath } from './subjects.tsx';

/** A form with what it does. */
interface Form extends Omit<ActionForm, 'run' | 'path'> {
  readonly path: DeskRoute['path'];
  readonly run: OperatorAction['run'];
  readonly inputs: NonNullable<OperatorAction['fields']>;
  readonly showsLink: boolean;
}

const FORMS = ACTIONS.flatMap(({ forms = [], fields, run, answers }) =>
  forms.map(
    (form): Form => ({
      run,
      ...form,
      path: `${SUBJECTS[form.subject].path}${form.path}`,
      inputs: form.inputs ?? fields ?? {},
      showsLink: answers === 'link',
    }),
  ),
);

/**
 * The forms of all actions. GET asks, POST changes. Every POST redirects, so going back or reloading
 * never posts again.
 */
export const FORM_ROUTES: readonly DeskRoute[] = FORMS.flatMap((form): readonly DeskRoute[] => [
  { method: 'GET', path: form.path, handle: (call) => answerQuestion(call, form) },
  { method: 'POST', path: form.path, handle: (call) => answerChange(call, form) },
]);

function useFormTexts(): FormTexts {
  const { pages, refunds } = useTexts(DESK_TEXTS);
  const { refunds: dashboard, frame } = useTexts(DASHBOARD_TEXTS);
  return { pages, refunds, dashboard, roles: frame.role };
}

function textIn(texts: FormTexts, name: TextName): string {
  return String(name.split('.').reduce((of: object, part) => Reflect.get(of, part), texts));
}

/** What each visible field asks for. */
function inputsOf({ fields, inputs }: Form): readonly (readonly [FieldName, Input])[] {
  return fields.map((name) => {
    const input = inputs[name]?.input;
    if (input === undefined) {
      throw new Error(`no form can ask for ${name}`);
    }
    return [name, input] as const;
  });
}

/** Fields with a random value: the same form sent twice has one effect. */
function randomFields({ inputs, fields }: Form): readonly (readonly [string, () => string])[] {
  return Object.entries(inputs).flatMap(([name, { random }]) =>
    random === undefined || fields.some((field) => field === name) ? [] : [[name, random] as const],
  );
}

async function answerQuestion(call: DeskCall, form: Form): Promise<Response> {
  if (form.isAboutChosen && chosenIn(call).length === 0) {
    return redirectTo(subjectPath(form.subject, call.params), { done: 'none_chosen' });
  }
  const [subject, given] = await Promise.all([readSubject(call, form), givenBefore(call)]);
  const action = pathOf(call, form);
  return answerDesk(call, <Question form={form} action={action} {...subject} given={given} />);
}

/** The address of the form, which names what was chosen. */
function pathOf(call: DeskCall, { isAboutChosen }: Form): string {
  const { pathname } = call.url;
  return isAboutChosen ? `${pathname}?${chosenQuery(call)}` : pathname;
}

function withQuery(path: string, query: URLSearchParams): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

function Question(
  props: Shown & { readonly form: Form; readonly action: string; readonly given: URLSearchParams },
) {
  const { form, action, useFacts, values, given } = props;
  const { actor, params, token } = useDesk();
  const { active, tone } = SUBJECTS[form.subject];
  const texts = useFormTexts();
  const text = texts.pages;
  const title = textIn(texts, form.title);
  const facts = useFacts();
  const hidden = [
    ['csrf', token] as const,
    ...randomFields(form).map(([name, random]) => [name, random()] as const),
    ...(form.carries ?? []).map((name) => [name, values[name]] as const),
  ];
  return (
    <Frame active={active} title={title}>
      <Refusal reason={given.get('refused')} />
      <p>{textIn(texts, form.lead)}</p>
      {facts.length > 0 && (
        <Section id="about" title={text.about}>
          <Facts rows={facts} />
        </Section>
      )}
      <form class="form" method="post" action={action} data-once="">
        {hidden.map(
          ([name, value]) =>
            value !== undefined && <input type="hidden" name={name} value={value} />,
        )}
        {inputsOf(form).map(([name, input]) => (
          <Control
            name={name}
            input={input}
            value={given.get(name) ?? values[name] ?? ''}
            isWrong={(given.get('wrong') ?? '').split(',').includes(name)}
          />
        ))}
        <p class="hint">
          {text.recordedAs}{' '}
          <bdi>{useOperatorText(actor.name, actor.isProved === true, actor.provedBy)}</bdi>
        </p>
        <div class="buttons">
          <button type="submit" class={tone ?? 'primary'}>
            {title}
          </button>
          <ButtonLink to={subjectPath(form.subject, params)}>{text.cancel}</ButtonLink>
        </div>
      </form>
    </Frame>
  );
}

function Control(props: {
  readonly name: FieldName;
  readonly input: Input;
  readonly value: string;
  readonly isWrong: boolean;
}) {
  const { name, value, isWrong } = props;
  const { label, hint, lengthMax, options, isOptional } = props.input;
  const texts = useFormTexts();
  const { choose, fieldProblems } = texts.pages;
  const field = {
    id: name,
    label: textIn(texts, label),
    error: isWrong ? fieldProblems[name] : null,
  };
  return options === undefined ? (
    <TextField
      {...field}
      hint={hint && textIn(texts, hint)}
      value={value}
      required={isOptional !== true}
      {...(lengthMax !== undefined && { maxlength: lengthMax })}
    />
  ) : (
    <SelectField {...field} options={[['', choose], ...options(texts)]} selected={value} />
  );
}

/** Problems that lead back to the question, and a refund during maintenance. */
function isAnswerable({ status, code }: Problem): boolean {
  return [400, 403, 409].includes(status) || code === 'maintenance';
}

/** Makes the change, or leads back to the question. */
async function answerChange(call: DeskCall, form: Form): Promise<Response> {
  try {
    const fields = fieldsIn(call, form);
    const { done = '', content, target = call.params } = await form.run(call, call.params, fields);
    const link = form.showsLink ? await sealedLink(call, content) : '';
    const path = `${subjectPath(form.subject, target)}${link}`;
    return form.isAboutChosen
      ? redirectTo(withQuery(path, await decidedQuery(call, done, content)))
      : redirectTo(path, { done });
  } catch (error) {
    if (!(error instanceof Problem && isAnswerable(error))) {
      throw error;
    }
    const over = form.over?.[error.code];
    // Another operator or the provider was faster, so there is no question to lead back to.
    return over === undefined
      ? redirectTo(withQuery(pathOf(call, form), await refusalQuery(call, error)))
      : redirectTo(subjectPath(form.subject, call.params), { done: over });
  }
}

/** The fields of the form, as the API would get them in a body. */
function fieldsIn(call: DeskCall, form: Form): Fields {
  const typed = inputsOf(form).map(([name, { read }]) => {
    const text = call.form.text(name);
    return [name, read === undefined ? text : read(text.trim())] as const;
  });
  const hidden = [...randomFields(form).map(([name]) => name), ...(form.carries ?? [])];
  const carried = hidden.map((name) => [name, call.form.text(name)] as const);
  return {
    ...Object.fromEntries([...typed, ...carried.filter(([, value]) => value !== '')]),
    ...form.preset?.(call.params),
    ...(form.isAboutChosen && { ids: chosenIn(call) }),
  };
}

/** Time to copy the link; then the page no longer shows it. */
const LINK_SHOWN_MS = 10 * 60 * 1_000;

/** The query with the link sealed: neither browser history nor a log shows it. */
async function sealedLink(
  { config, actor, nowMs, params }: DeskCall,
  content: unknown,
): Promise<string> {
  const { url } = content as { readonly url: string };
  const text = `${nowMs + LINK_SHOWN_MS} ${url}`;
  const sealed = await seal(config.backOfficeKeys, text, linkContext(params, actor.name));
  return `?link=${sealed}`;
}

/** A sealed link opens only on the page of its merchant, for the operator who created it. */
function linkContext({ merchantId }: PathParts, operator: string): string {
  return `desk/link/${merchantId}/${operator}`;
}

/** The link that this operator has just created; null for other operators, and after LINK_SHOWN_MS. */
export async function newLink({ config, url, params, actor, nowMs }: DeskCall) {
  const sealed = url.searchParams.get('link') ?? '';
  const text = await unseal(config.backOfficeKeys, sealed, linkContext(params, actor.name));
  const space = text?.indexOf(' ') ?? -1;
  return text !== null && nowMs < Number(text.slice(0, space)) ? text.slice(space + 1) : null;
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
  const { form, config } = call;
  const names = Object.keys(DESK_TEXTS.en.pages.fieldProblems);
  const typed = names.map((name) => [name, form.text(name).slice(0, GIVEN_LENGTH_MAX)]);
  const text = `${new URLSearchParams(typed)}`;
  return new URLSearchParams({
    refused: problem.code,
    wrong: Object.keys(problem.validationErrors ?? {}).join(','),
    [TYPED]: await seal(config.backOfficeKeys, text, typedContext(call)),
  });
}

/** Only this operator's form of the same change shows it. */
function typedContext({ actor, url }: DeskCall): string {
  return `desk/typed/${actor.name}${url.pathname}`;
}

/** A link on another site cannot fill the form or show a refusal: then it is empty. */
async function givenBefore(call: DeskCall): Promise<URLSearchParams> {
  const { request, url, config } = call;
  if (!isFromOwnPage(request)) {
    return new URLSearchParams();
  }
  const query = url.searchParams;
  const sealed = query.get(TYPED) ?? '';
  const typed = await unseal(config.backOfficeKeys, sealed, typedContext(call));
  const given = new URLSearchParams(typed ?? '');
  for (const name of ['refused', 'wrong']) {
    const value = query.get(name);
    if (value !== null) {
      given.set(name, value);
    }
  }
  return given;
}

function Refusal({ reason }: { readonly reason: string | null }) {
  const { refused } = useTexts(DESK_TEXTS).pages;
  const known = Object.entries(refused).find(([name]) => name === reason);
  return reason === null ? null : (
    <Message tone="bad">
      <p>{known?.[1] ?? refused.other}</p>
    </Message>
  );
}
