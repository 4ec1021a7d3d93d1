import { PAYLOAD_VERSION } from '../../src/engine/webhooks/payload.ts';
import type { ClientObject, ClientType, Member } from './client-objects.ts';

/** The generated class of the PHP client: array shapes that PHPStan and Psalm read. */
export function phpTypes(objects: readonly ClientObject[]): string {
  const shapes = objects.map(
    ({ name, members }) =>
      ` * @phpstan-type ${name} array{\n${members.map(memberOf).join(',\n')}\n * }`,
  );
  const keys = objects
    .filter(({ isChecked }) => isChecked)
    .map(
      ({ name, members }) =>
        `        '${name}' => [\n${members.map((it) => `            '${it.name}',\n`).join('')}        ],\n`,
    );
  return `/**
 * The arrays of requests, filters and answers. Amounts are in minor units (15050 is 150.50), except in
 * requests of payments and in payment links. Import one with
 * \`@phpstan-import-type Payment from \\Kefel\\Shapes\`.
 *
${shapes.join('\n *\n')}
 */
final class Shapes
{
    /** Of the webhooks that \`Webhook::signTest\` makes. */
    public const PAYLOAD_VERSION = '${PAYLOAD_VERSION}';

    /** The keys of the arrays that the client sends. */
    public const KEYS = [
${keys.join('')}    ];
}
`;
}

function memberOf({ name, isRequired, type }: Member): string {
  return ` *     ${name}${isRequired ? '' : '?'}: ${typeText(type)}`;
}

function typeText(type: ClientType): string {
  switch (type.kind) {
    case 'object':
      return type.name;
    case 'choice':
      return type.values.map((value) => `'${value}'`).join('|');
    case 'list':
      return `list<${typeText(type.item)}>`;
    case 'map':
      return `array<string, ${typeText(type.value)}>`;
    case 'nullable':
      return `${typeText(type.type)}|null`;
    case 'text':
      return 'string';
    case 'integer':
      return 'int';
    case 'number':
      return 'int|float';
    case 'boolean':
      return 'bool';
    case 'time':
      return '\\DateTimeInterface';
  }
}
