import type { Actor } from '../../../src/kit/audit/log.ts';
import type { DashboardMessages, DeskMessages } from '../../i18n/messages.ts';
import type { PaymentsPlane } from '../../payments-plane.ts';
import type { OperatorCall, PathParts } from '../call.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** What an action answers. */
export interface Outcome {
  /** The message of the API's answer. */
  readonly message: string;
  /** The name of the desk's message. */
  readonly done?: string;
  /**
   * The content of the API's answer. When absent, the API answers the merchant with its settings.
   */
  readonly content?: unknown;
  /** Names the merchant, where the path does not. */
  readonly target?: PathParts;
}

/** What the API answers with. It decides the lines that the command line prints. */
export type Answers =
  | 'alerts'
  | 'attention'
  | 'backup'
  | 'backups'
  | 'bank'
  | 'check'
  | 'customer'
  | 'export'
  | 'health'
  | 'items'
  | 'keys'
  | 'letter'
  | 'letter_outcomes'
  | 'letters'
  | 'link'
  | 'members'
  | 'merchant'
  | 'merchants'
  | 'modes'
  | 'new_merchant'
  | 'payment'
  | 'probe'
  | 'provider_board'
  | 'provider_files'
  | 'provider_lines'
  | 'provider_preview'
  | 'provider_profiles'
  | 'rails'
  | 'rebuilt'
  | 'requests'
  | 'restored'
  | 'restored_gateway'
  | 'review'
  | 'settings'
  | 'switched_off'
  | 'tested_channel';

/** Something that operators read. The API's route follows from it, and the command if it has one. */
export type OperatorRead = ReadRoute | ReadCommand;

interface ReadRoute {
  /** Below /operator/v1. */
  readonly path: `/${string}`;
  /** The message of the API's answer. */
  readonly message: string;
  readonly run: (call: OperatorCall) => Promise<unknown>;
}

/** A command that takes the parts of the path by position. */
export interface ReadCommand extends ReadRoute, Pick<ActionCommand, 'name' | 'about' | 'examples'> {
  readonly answers: Answers;
  /** The parameters of the query that are its options. */
  readonly query?: Readonly<Record<string, Option>>;
  /** The field of a list's answer that leads to the next page. */
  readonly pages?: 'nextCursor';
}

/**
 * An operator's action. The API's route, the desk's forms and the commands follow from it. What its
 * fields may hold is checked where it runs, so this says only how people give them. The command line
 * loads these descriptions too, so they import no code of the Worker.
 */
export interface OperatorAction {
  /** Below /operator/v1. */
  readonly path: `/${string}`;
  readonly answers: Answers;
  /** Null: the route reads no body. */
  readonly fields: Readonly<Record<string, ActionField>> | null;
  /** The limit of the request's body, if it is larger than a list of ids. */
  readonly bodyBytesMax?: number;
  readonly run: (call: OperatorCall, target: PathParts, fields: Fields) => Promise<Outcome>;
  readonly commands: readonly ActionCommand[];
  readonly forms?: readonly ActionForm[];
}

type Operator = PaymentsPlane['operator'];
type Run<Result> = (actor: Actor, target: PathParts, fields: Fields) => Promise<Result>;

/** Runs an action of the payments plane. */
export function by<Result>(
  choose: (operator: Operator) => Run<Result>,
  outcomeOf: (result: Result) => Outcome,
): OperatorAction['run'] {
  return async ({ payments, actor }, target, fields) =>
    outcomeOf(await choose(payments.operator)(actor, target, fields));
}

/** The outcome of a change, which may have been made before. */
export function changed(change: {
  readonly isChanged: boolean;
  readonly content?: unknown;
}): Outcome {
  return { message: change.isChanged ? 'Changed' : 'No change', content: change.content };
}

/** An option of a command. */
export interface Option {
  /** Placeholder of the value in the help; null for a flag. */
  readonly value: string | null;
  readonly about: string;
  readonly isRequired?: true;
  readonly isRepeatable?: true;
  /** For an option that people expect and the command refuses: `about` says what to use instead. */
  readonly isRefused?: true;
}

/** How the command line reads a value; text without. */
export type Kind =
  | 'amount'
  | 'amount_or_none'
  | 'commission'
  | 'days'
  | 'methods'
  | 'minor_units'
  | 'percent'
  | 'role'
  | 'schemes'
  | 'yes_or_no';

/** How people give one field of the request. */
export interface ActionField {
  readonly option?: Option;
  /** The option's name; by default the field's. */
  readonly name?: string;
  /** What the option stands for when it is not given. */
  readonly otherwise?: string;
  /** One flag for each value, instead of an option. */
  readonly flags?: Readonly<Record<string, Flag>>;
  readonly kind?: Kind;
  /** The value of a form or command that gives none, so that it has one effect if sent twice. */
  readonly random?: () => string;
  /** In the desk's forms. */
  readonly input?: Input;
}

/** A field with a required option: its placeholder, and what it means. */
export function required(value: string, about: string, more: ActionField = {}): ActionField {
  return { ...more, option: { value, about, isRequired: true } };
}

/** The same with an option that can be left out. */
export function optional(value: string, about: string, more: ActionField = {}): ActionField {
  return { ...more, option: { value, about } };
}

export interface Flag {
  readonly value: string;
  readonly about: string;
  /** The field that must be given with it, and with it alone. */
  readonly needs?: string;
}

type StringsOf<Messages> = {
  [Name in keyof Messages & string]: Messages[Name] extends string ? Name : never;
}[keyof Messages & string];

/** The texts of one language. */
export interface FormTexts {
  readonly pages: DeskMessages['pages'];
  readonly refunds: DeskMessages['refunds'];
  readonly dashboard: DashboardMessages['refunds'];
  readonly roles: DashboardMessages['frame']['role'];
}

/** The name of a text. */
export type TextName =
  | `pages.${StringsOf<FormTexts['pages']>}`
  | `pages.providerProfile.${StringsOf<FormTexts['pages']['providerProfile']>}`
  | `refunds.${StringsOf<FormTexts['refunds']>}`
  | `dashboard.${StringsOf<FormTexts['dashboard']>}`;

/** A field of a form. */
export interface Input {
  readonly label: TextName;
  readonly hint?: TextName;
  readonly lengthMax?: number;
  readonly isOptional?: true;
  /** Makes it a select box, in which nothing is chosen at first. */
  readonly options?: (texts: FormTexts) => readonly (readonly [value: string, text: string])[];
  /** The value behind what was typed. What it cannot read stays text, which the schema rejects. */
  readonly read?: (typed: string) => unknown;
}

/** A noun and a verb of `npm run operator` that stand for the action. */
export interface ActionCommand {
  readonly name: string;
  readonly about: string;
  readonly examples: readonly string[];
  /** Parts of the path or fields that are given by position; by default all parts of the path. */
  readonly positionals?: readonly string[];
  /** Fields that the command decides. */
  readonly preset?: Fields;
  readonly refused?: Readonly<Record<string, Option>>;
  /** The command gives at least one of its options. */
  readonly needsOne?: true;
  /** The field of the answer that leads to the next page. */
  readonly pages?: 'next';
}

/** The names that fields of the desk's forms have, and their errors. */
export type FieldName = keyof DeskMessages['pages']['fieldProblems'];

/** What a form of the desk is about, and what its page shows. */
export type SubjectName =
  | 'payment'
  | 'attempt'
  | 'paid_attempt'
  | 'refund'
  | 'merchant'
  | 'new_merchant'
  | 'api_key'
  | 'member'
  | 'invitation'
  | 'method'
  | 'merchant_method'
  | 'bank'
  | 'new_bank'
  | 'letter'
  | 'items'
  | 'letters'
  | 'provider_profile'
  | 'new_provider_profile'
  | 'provider_line'
  | 'gateway';

/** A form of the desk, behind a page that shows what it is about and asks for confirmation. */
export interface ActionForm {
  readonly subject: SubjectName;
  /** Below the path of its subject. */
  readonly path: `/${string}` | '';
  readonly title: TextName;
  /** What the action will do. */
  readonly lead: TextName;
  readonly fields: readonly FieldName[];
  /** How it asks for its fields, if they are not those of the API. */
  readonly inputs?: Readonly<Record<string, ActionField>>;
  /** Fields that the form decides, by the parts of its path. */
  readonly preset?: (target: PathParts) => Fields;
  /** Hidden fields that bring back what the page showed of its subject. */
  readonly carries?: readonly string[];
  /** Shows the proposal of another operator, without which there is no such page. */
  readonly confirms?: true;
  /** Problems after which there is no question to lead back to, with the desk's message for each. */
  readonly over?: Readonly<Record<string, string>>;
  /** It is about what the check boxes of a list chose: its field `ids`. */
  readonly isAboutChosen?: true;
  /** Where the form does something else than the API. */
  readonly run?: OperatorAction['run'];
}
