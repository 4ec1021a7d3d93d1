import { type Mutant, planted } from './mutant.ts';
import type { RepositoryCopy } from './repository-copy.ts';

/**
 * Throws unless the code compiles with each planted bug: no test would ever see one that the
 * compiler rejects. Compiles bugs of several files together.
 */
export async function checkTypes(copy: RepositoryCopy, mutants: readonly Mutant[]): Promise<void> {
  const rejected: string[] = [];
  for (const round of onePerFile(mutants)) {
    const contents = new Map<string, string>();
    for (const mutant of round) {
      contents.set(mutant.file, planted(await copy.read(mutant.file), mutant));
    }
    const errors = await copy.changed(contents, () => copy.compilerErrors());
    if (errors !== null) {
      const named = round.filter(({ file }) => errors.includes(file));
      const bugs = named.length > 0 ? named : round;
      rejected.push(...bugs.map(({ file, breaks }) => `${file}: ${breaks}`), errors);
    }
  }
  if (rejected.length > 0) {
    throw new Error(`planted bugs that do not compile:\n${rejected.join('\n')}`);
  }
}

/** All mutants, in groups that change each file once at most. */
function onePerFile(mutants: readonly Mutant[]): readonly (readonly Mutant[])[] {
  const byFile = Map.groupBy(mutants, ({ file }) => file);
  const longest = Math.max(0, ...[...byFile.values()].map(({ length }) => length));
  return Array.from({ length: longest }, (_, place) =>
    [...byFile.values()].flatMap((own) => own.slice(place, place + 1)),
  );
}
