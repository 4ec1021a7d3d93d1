import { pathText } from './fields.ts';

/** The most names that one answer reports. */
const REPEATED_MAX = 20;
/** Kefel has no deeper fields and no longer names, so answers shorten such paths. */
const DEPTH_SHOWN = 8;
const NAME_CHARACTERS_SHOWN = 60;

/** The strings and the punctuation of a JSON text; a name is a string with a colon. */
const TOKENS = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\],]/g;

/** An object or an array that the search is in. */
interface Level {
  /** An array has null. */
  readonly names: Set<string> | null;
  /** The latest name, or the index of the entry. */
  at: string | number;
}

/**
 * The paths of the fields that one object of a JSON text names more than once. `JSON.parse` keeps the
 * last value and says nothing. `text` is valid JSON. Takes linear time at any depth.
 */
export function repeatedNames(text: string): readonly string[] {
  const paths = new Set<string>();
  const levels: Level[] = [];
  for (const [token, string, colon] of text.matchAll(TOKENS)) {
    const level = levels.at(-1);
    if (token === '{' || token === '[') {
      levels.push({ names: token === '{' ? new Set() : null, at: 0 });
    } else if (token === '}' || token === ']') {
      levels.pop();
    } else if (token === ',' && level?.names === null) {
      level.at = Number(level.at) + 1;
    } else if (colon !== undefined && level?.names != null) {
      const name: string = JSON.parse(string ?? '');
      level.at = name;
      if (level.names.has(name) && paths.size < REPEATED_MAX) {
        paths.add(pathOf(levels));
      }
      level.names.add(name);
    }
  }
  return [...paths];
}

function pathOf(levels: readonly Level[]): string {
  const steps = levels
    .slice(0, DEPTH_SHOWN)
    .map(({ names, at }) => (names === null ? at : String(at).slice(0, NAME_CHARACTERS_SHOWN)));
  return pathText(steps) + (levels.length > DEPTH_SHOWN ? '…' : '');
}
