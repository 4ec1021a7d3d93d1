import { ROLES } from '../../back-office/members/permissions.ts';
import type {
  ActionCommand,
  ActionField,
  Kind,
  OperatorAction,
  Option,
} from '../../back-office/operator/actions/action.ts';
import { ACTIONS } from '../../back-office/operator/actions/all.ts';
import { type Command, type Given, UsageError } from './command.ts';
import { LINES } from './lines.ts';
import { PLACES, pathOf } from './places.ts';
import * as values from './values.ts';

const READERS: Readonly<Record<Kind, (text: string) => unknown>> = {
  amount: values.minorUnits,
  amount_or_none: (text) => (text === 'none' ? null : values.minorUnits(text)),
  commission: values.commission,
  days: values.days,
  methods: values.methodList,
  minor_units: values.wholeMinorUnits,
  percent: values.basisPoints,
  role: (text) => values.oneOf('the role', ROLES, text),
  schemes: (text) => (text === 'none' ? [] : text.split(',')),
  yes_or_no: values.yesOrNo,
};

const ENVIRONMENT: Option = {
  value: 'sandbox|production',
  about: 'environment to change',
  isRequired: true,
};

/** The commands that follow from the operator's actions. */
export const ACTION_COMMANDS: readonly Command[] = ACTIONS.flatMap((action) =>
  action.commands.map((command) => commandOf(action, command)),
);

function commandOf(action: OperatorAction, command: ActionCommand): Command {
  const { name, about, examples, pages } = command;
  const parts = partsOf(action);
  const positionals = command.positionals ?? parts;
  const fields = fieldsOf(action, command);
  return {
    name,
    about,
    examples,
    pages,
    positionals: positionals.map((part) => PLACES[part] ?? part),
    options: {
      ...Object.fromEntries(
        parts
          .filter((part) => !positionals.includes(part))
          .map((part) => [part, ENVIRONMENT] as const),
      ),
      ...Object.fromEntries(fields.flatMap(optionsOf)),
      ...command.refused,
    },
    request: (given) => {
      if (command.needsOne) {
        checkAny(given, fields);
      }
      return { path: pathOf(action.path, given), body: bodyOf(given, action, command) };
    },
    lines: LINES[action.answers],
  };
}

/** The named parts of the path. */
function partsOf({ path }: OperatorAction): readonly string[] {
  return [...path.matchAll(/:(\w+)/g)].flatMap(([, part = '']) => part);
}

/** The fields that options give. */
function fieldsOf({ fields }: OperatorAction, { positionals = [], preset = {} }: ActionCommand) {
  return Object.entries(fields ?? {}).filter(
    ([name]) => !(positionals.includes(name) || name in preset),
  );
}

function optionsOf([name, field]: readonly [string, ActionField]): [string, Option][] {
  const { option, flags = {} } = field;
  const asked = Object.entries(flags).map(([flag, { about }]): [string, Option] => [
    flag,
    { value: null, about },
  ]);
  return option === undefined ? asked : [[optionName(name, field), option]];
}

function optionName(name: string, { name: given }: ActionField): string {
  return given ?? name;
}

function bodyOf(given: Given, action: OperatorAction, command: ActionCommand) {
  const { positionals = [], preset } = command;
  const fields = action.fields ?? {};
  checkFlags(given, fields);
  const byPlace = positionals.filter((name) => name in fields).map((name) => placedIn(given, name));
  const byOption = fieldsOf(action, command).map(([name, field]) => [
    name,
    valueIn(given, name, field),
  ]);
  const all = [...byPlace, ...byOption].filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(all), ...preset };
}

function placedIn(given: Given, name: string): readonly [string, unknown] {
  const place = PLACES[name] ?? name;
  return [name, place.endsWith('…') ? given.rest(place.replace('…', '')) : given.at(place)];
}

function valueIn(given: Given, name: string, field: ActionField): unknown {
  const { option, flags, kind, random } = field;
  if (flags !== undefined) {
    return Object.entries(flags).find(([flag]) => given.has(flag))?.[1].value;
  }
  const read = kind === undefined ? (text: string) => text : READERS[kind];
  const texts = given.options(optionName(name, field));
  if (option?.isRepeatable) {
    return texts.length === 0 ? undefined : texts.map(read);
  }
  const text = texts[0] ?? field.otherwise;
  return text === undefined ? random?.() : read(text);
}

function checkAny(given: Given, fields: readonly (readonly [string, ActionField])[]): void {
  const names = fields.map(([name, field]) => optionName(name, field));
  if (!names.some((name) => given.has(name))) {
    const options = names.map((name) => `--${name}`).join(', ');
    throw new UsageError(`nothing to change: give ${options} or both`);
  }
}

/** Exactly one flag of a field is given, and what belongs to it. */
function checkFlags(given: Given, fields: Readonly<Record<string, ActionField>>): void {
  for (const { flags } of Object.values(fields)) {
    if (flags === undefined) {
      continue;
    }
    const needed = (field: string) => optionName(field, fields[field] ?? {});
    const entries = Object.entries(flags);
    const chosen = entries.filter(([flag]) => given.has(flag));
    if (chosen.length !== 1) {
      const ways = entries.map(
        ([flag, { needs }]) => `--${flag}${needs === undefined ? '' : ` with --${needed(needs)}`}`,
      );
      throw new UsageError(`give either ${ways.join(', or ')}`);
    }
    for (const [flag, { needs }] of entries) {
      if (needs !== undefined && given.has(flag) !== given.has(needed(needs))) {
        throw new UsageError(
          given.has(flag)
            ? `--${flag} needs --${needed(needs)}`
            : `--${needed(needs)} is only for --${flag}`,
        );
      }
    }
  }
}
