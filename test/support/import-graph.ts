import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The source as the architecture tests see it: files and their imports. */

export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Every source file, sorted. */
export const SOURCE_FILES: readonly string[] = globSync('{src,back-office}/**/*.{ts,tsx}')
  .filter((file) => !file.startsWith('back-office/public/'))
  .sort();

/** The same of everything but tests. */
export const ALL_FILES: readonly string[] = [
  ...SOURCE_FILES,
  ...globSync('{scripts,lab,site,demo,clients}/**/*.{ts,tsx,mjs}').filter(
    (file) => !file.includes('node_modules/'),
  ),
].sort();

/** The code of a file, without comments. */
export function codeOf(file: string): string {
  return readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/gm, '');
}

/** The imports of a file: values, types, `export … from`, `import()` and `import('…')` types. */
export function importsOf(file: string): { readonly files: string[]; readonly packages: string[] } {
  const specifiers = [...codeOf(file).matchAll(/(?<!')\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    ([, specifier = '']) => specifier,
  );
  const [inner, outer] = [true, false].map((isInner) =>
    specifiers.filter((specifier) => specifier.startsWith('.') === isInner),
  );
  return {
    files: (inner ?? []).map((specifier) => normalize(join(dirname(file), specifier))),
    packages: outer ?? [],
  };
}

/** The files that an isolate loads together with this one: neither types nor `import()`. */
export function loadsOf(file: string): string[] {
  const statements = codeOf(file).matchAll(
    /^(?:import|export)\s(?!type\b)(?:[^;']*?\sfrom\s+)?'(\.[^']+)';/gm,
  );
  return [...statements].map(([, specifier = '']) => normalize(join(dirname(file), specifier)));
}

export function importGraph(files = SOURCE_FILES): Graph {
  return new Map(files.map((file) => [file, new Set(importsOf(file).files)]));
}

/** A folder of a floor of `src`, or of another top folder; a file directly in one is its own room. */
export function roomOf(file: string): string {
  const depth = file.startsWith('src/') ? 3 : 2;
  return file.split('/').slice(0, depth).join('/');
}

/** The same graph with rooms instead of files. */
export function roomGraph(graph: Graph): Graph {
  const rooms = new Map<string, Set<string>>();
  for (const [file, imports] of graph) {
    const targets = rooms.get(roomOf(file)) ?? new Set();
    rooms.set(roomOf(file), targets);
    for (const target of imports) {
      if (roomOf(target) !== roomOf(file)) {
        targets.add(roomOf(target));
      }
    }
  }
  return rooms;
}

/** All files that the starting files reach, including themselves. */
export function closureOf(graph: Graph, starts: readonly string[]): ReadonlySet<string> {
  const reached = new Set(starts);
  for (const node of reached) {
    for (const target of graph.get(node) ?? []) {
      reached.add(target);
    }
  }
  return reached;
}

/** Groups of nodes that reach one another, each sorted. Empty without a cycle. */
export function circlesOf(graph: Graph): string[][] {
  const reachable = new Map([...graph.keys()].map((node) => [node, closureBelow(graph, node)]));
  const circles = new Map<string, string[]>();
  for (const [node, reached] of reachable) {
    const circle = [...reached].filter((other) => reachable.get(other)?.has(node)).sort();
    if (circle.length > 0) {
      circles.set(circle.join(' '), circle);
    }
  }
  return [...circles.values()];
}

/** The nodes that a node reaches by at least one import. */
function closureBelow(graph: Graph, node: string): ReadonlySet<string> {
  return closureOf(graph, [...(graph.get(node) ?? [])]);
}
