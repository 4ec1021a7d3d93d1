import { PAYLOAD_VERSION } from '../../src/engine/webhooks/payload.ts';
import type { ClientObject, ClientType, Member } from './client-objects.ts';

const LINE_LENGTH_MAX = 100;
const LATER = 'NotRequired';

/** The generated part of the Python client: dictionaries that type checkers know. */
export function pythonTypes(objects: readonly ClientObject[]): string {
  const classes = objects.map((object) => {
    const { name, description, members } = object;
    const isFilter = name.endsWith('Filter');
    const head = isFilter ? `class ${name}(TypedDict, total=False):` : `class ${name}(TypedDict):`;
    const comment = description === null ? [] : [`    """${description}"""`, ''];
    const lines = members.map((member) => (isFilter ? filterOf(member) : memberOf(object, member)));
    return [head, ...comment, ...lines].join('\n');
  });
  const names = objects.map(({ name }) => `    "${name}",\n`);
  return `#: Of the webhooks that sign_test_webhook makes.
_PAYLOAD_VERSION = "${PAYLOAD_VERSION}"


${classes.join('\n\n\n')}


__all__ += [
${names.join('')}]
`;
}

function memberOf({ isSent }: ClientObject, { name, isRequired, type }: Member): string {
  const text = typeText(type, isSent);
  return wrapped(name, isRequired ? text : `${LATER}[${text}]`);
}

/** A filter is a keyword argument, so it has a name as in Python. */
function filterOf({ name, type }: Member): string {
  return wrapped(
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    typeText(type, true),
  );
}

/** Breaks a long line at the first bracket that holds several texts. */
function wrapped(name: string, type: string): string {
  const line = `    ${name}: ${type}`;
  return line.length <= LINE_LENGTH_MAX
    ? line
    : line.replace(
        /Literal\[(.*?)\]/,
        (_match, values: string) =>
          `Literal[\n${values
            .split(', ')
            .map((value) => `        ${value},\n`)
            .join('')}    ]`,
      );
}

/** An amount that the client sends may be a Decimal. */
function typeText(type: ClientType, isSent: boolean): string {
  switch (type.kind) {
    case 'object':
      return type.name;
    case 'choice':
      return `Literal[${type.values.map((value) => `"${value}"`).join(', ')}]`;
    case 'list':
      return `list[${typeText(type.item, isSent)}]`;
    case 'map':
      return `dict[str, ${typeText(type.value, isSent)}]`;
    case 'nullable':
      return `${typeText(type.type, isSent)} | None`;
    case 'text':
      return 'str';
    case 'integer':
      return 'int';
    case 'number':
      return isSent ? 'float | Decimal' : 'float';
    case 'boolean':
      return 'bool';
    case 'time':
      return 'datetime';
  }
}
