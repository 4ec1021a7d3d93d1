import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The source as the architecture tests see it: files and their imports. */

export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Every source file, sorted. */
export const SOURCE_FILES: readonly string[] = globSync('{src,back-office}/**/*.{ts,tsx}')
  .filter((file) => !file.startsWith('back-office/public/'))
  .sort();

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

export function importGraph(): Graph {
  return new Map(SOURCE_FILES.map((file) => [file, new Set(importsOf(file).files)]));
}

/** A top-level folder of a plane; a file directly in it is its own room. */
export function roomOf(file: string): string {
  const [src, room] = file.split('/');
  return `${src}/${room}`;
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
