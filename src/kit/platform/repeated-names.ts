/** The strings and the punctuation of a JSON text; a name is a string with a colon. */
const TOKENS = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\],]/g;

/** An object or an array that the search is in. */
interface Level {
  /** An array has null. */
  readonly names: Set<string> | null;
  /** The latest name, or the index of the entry. */
  readonly at: string | number;
}

/**
 * The fields that one object of a JSON text names more than once, each as the levels around it, which
 * change with the next step. `JSON.parse` keeps the last value and says nothing. `text` is valid JSON.
 * Takes linear time at any depth.
 */
export function* repeatedNames(text: string): Generator<readonly Level[]> {
  const levels: { names: Level['names']; at: Level['at'] }[] = [];
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
      if (level.names.has(name)) {
        yield levels;
      }
      level.names.add(name);
    }
  }
}
