/** One small mistake that a programmer could make. */
export interface Mutant {
  /** Within the repository. */
  readonly file: string;
  /** Occurs once in the file. */
  readonly find: string;
  readonly replace: string;
  /** What would go wrong. */
  readonly breaks: string;
}

/** The mutants of one file. */
export function mutantsOf(
  file: string,
  changes: readonly (readonly [find: string, replace: string, breaks: string])[],
): readonly Mutant[] {
  return changes.map(([find, replace, breaks]) => ({ file, find, replace, breaks }));
}

/** The file's content with the mistake. */
export function planted(original: string, { file, find, replace }: Mutant): string {
  if (original.split(find).length !== 2) {
    throw new Error(`${file} must contain this text once: ${find}`);
  }
  return original.replace(find, () => replace);
}
