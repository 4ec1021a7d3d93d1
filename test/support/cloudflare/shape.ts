/** What JSON looks like, without its values: inferred from examples, and compared with others. */
export type Shape =
  | 'string'
  | 'number'
  | 'boolean'
  | 'null'
  /** A name that ends in `?` is not in every example. */
  | { readonly fields: Readonly<Record<string, Shape>> }
  | { readonly listOf: Shape | null }
  /** Names are free, such as those of secrets. */
  | { readonly mapOf: Shape | null }
  /** Objects that their `type` tells apart, such as bindings. */
  | { readonly byType: Readonly<Record<string, Shape>> }
  | { readonly anyOf: readonly Shape[] };

/** Objects with free names, at any place. */
const MAPS = ['exports', 'manifest', 'secrets'];

export function shapeOf(value: unknown, name = ''): Shape {
  if (value === null) {
    return 'null';
  }
  if (Array.isArray(value)) {
    return { listOf: value.map((item) => itemShape(item)).reduce(mergedOrNull, null) };
  }
  if (typeof value === 'object') {
    const entries = Object.entries(value);
    if (MAPS.includes(name)) {
      return { mapOf: entries.map(([, item]) => shapeOf(item)).reduce(mergedOrNull, null) };
    }
    return { fields: Object.fromEntries(entries.map(([key, item]) => [key, shapeOf(item, key)])) };
  }
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return typeof value as 'string' | 'number' | 'boolean';
  }
  throw new TypeError(`${typeof value} is not JSON`);
}

function itemShape(item: unknown): Shape {
  const type = typeOf(item);
  return type === null ? shapeOf(item) : { byType: { [type]: shapeOf(item) } };
}

function typeOf(item: unknown): string | null {
  const hasType = typeof item === 'object' && item !== null && 'type' in item;
  return hasType && typeof item.type === 'string' ? item.type : null;
}

function mergedOrNull(one: Shape | null, other: Shape | null): Shape | null {
  return one === null ? other : other === null ? one : merged(one, other);
}

/** The shape of what has either shape. */
export function merged(one: Shape, other: Shape): Shape {
  const together = mergedKind(one, other);
  if (together !== null) {
    return together;
  }
  const alternatives = [...alternativesOf(one)];
  for (const shape of alternativesOf(other)) {
    const index = alternatives.findIndex((known) => mergedKind(known, shape) !== null);
    const known = alternatives[index];
    if (known === undefined) {
      alternatives.push(shape);
    } else {
      alternatives[index] = mergedKind(known, shape) ?? known;
    }
  }
  return { anyOf: alternatives };
}

const alternativesOf = (shape: Shape): readonly Shape[] =>
  typeof shape === 'object' && 'anyOf' in shape ? shape.anyOf : [shape];

/** Null for shapes that have nothing in common. */
function mergedKind(one: Shape, other: Shape): Shape | null {
  if (typeof one === 'string' || typeof other === 'string') {
    return one === other ? one : null;
  }
  if ('fields' in one && 'fields' in other) {
    return { fields: mergedFields(one.fields, other.fields) };
  }
  if ('listOf' in one && 'listOf' in other) {
    return { listOf: mergedOrNull(one.listOf, other.listOf) };
  }
  if ('mapOf' in one && 'mapOf' in other) {
    return { mapOf: mergedOrNull(one.mapOf, other.mapOf) };
  }
  if ('byType' in one && 'byType' in other) {
    const byType = { ...one.byType };
    for (const [type, shape] of Object.entries(other.byType)) {
      byType[type] = mergedOrNull(byType[type] ?? null, shape) ?? shape;
    }
    return { byType };
  }
  return null;
}

function mergedFields(
  one: Readonly<Record<string, Shape>>,
  other: Readonly<Record<string, Shape>>,
): Readonly<Record<string, Shape>> {
  const find = (fields: Readonly<Record<string, Shape>>, name: string) =>
    fields[name] ?? fields[`${name}?`] ?? null;
  const names = new Set([...Object.keys(one), ...Object.keys(other)].map(withoutMark));
  return Object.fromEntries(
    [...names].map((name) => {
      const isAlways = one[name] !== undefined && other[name] !== undefined;
      const shape = mergedOrNull(find(one, name), find(other, name));
      return [isAlways ? name : `${name}?`, shape ?? 'null'];
    }),
  );
}

const withoutMark = (name: string) => name.replace(/\?$/, '');

/** Where a value differs from the shape: one sentence for each place. */
export function mistakes(shape: Shape, value: unknown, place = 'body'): readonly string[] {
  if (typeof shape === 'string') {
    const kind = value === null ? 'null' : typeof value;
    return kind === shape ? [] : [`${place} is ${kind} instead of ${shape}`];
  }
  if ('anyOf' in shape) {
    const each = shape.anyOf.map((alternative) => mistakes(alternative, value, place));
    return each.some((found) => found.length === 0) ? [] : (each[0] ?? []);
  }
  if ('listOf' in shape) {
    const { listOf } = shape;
    return Array.isArray(value)
      ? value.flatMap((item, index) => itemMistakes(listOf, item, `${place}[${index}]`))
      : [`${place} is no list`];
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [`${place} is no object`];
  }
  if ('mapOf' in shape) {
    const { mapOf } = shape;
    return Object.entries(value).flatMap(([name, item]) =>
      itemMistakes(mapOf, item, `${place}.${name}`),
    );
  }
  if ('byType' in shape) {
    const known = shape.byType[typeOf(value) ?? ''];
    return known === undefined
      ? [`${place}.type is not one of ${Object.keys(shape.byType).join(', ')}`]
      : mistakes(known, value, place);
  }
  return fieldMistakes(shape.fields, Object.entries(value), place);
}

/** Examples of empty lists tell nothing about items, so items are then unknown. */
function itemMistakes(shape: Shape | null, item: unknown, place: string): readonly string[] {
  return shape === null ? [`${place} is not known`] : mistakes(shape, item, place);
}

function fieldMistakes(
  fields: Readonly<Record<string, Shape>>,
  entries: readonly (readonly [name: string, value: unknown])[],
  place: string,
): readonly string[] {
  const given = entries.flatMap(([name, value]) => {
    const shape = fields[name] ?? fields[`${name}?`];
    return shape === undefined
      ? [`${place}.${name} is not known`]
      : mistakes(shape, value, `${place}.${name}`);
  });
  const names = entries.map(([name]) => name);
  const missing = Object.keys(fields)
    .filter((name) => !name.endsWith('?') && !names.includes(name))
    .map((name) => `${place}.${name} is missing`);
  return [...given, ...missing];
}
