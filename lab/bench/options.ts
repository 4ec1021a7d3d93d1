import { givenOptions, optionsHelp, type ScriptOptions } from '../../scripts/project/options.ts';
import { givenNumber, wholeNumber } from '../../scripts/project/whole-number.ts';
import { CASE_NAMES, type CaseName } from './cases.ts';
import type { Effort } from './measure.ts';
import type { Medium } from './run.ts';

const MEDIA: readonly Medium[] = ['tmpfs', 'disk'];

export type BenchOptions =
  | {
      readonly type: 'measure';
      readonly names: readonly CaseName[];
      readonly media: readonly Medium[];
      readonly effort: Effort;
      /** What Kefel is compared with: `new` is Kefel without payments. */
      readonly baseline: 'floor' | 'peers' | 'new';
      /** How many payments Kefel has before the first case. */
      readonly payments: number;
      /** Whether to write the document. */
      readonly isForDocument: boolean;
    }
  | { readonly type: 'profile'; readonly name: CaseName };

const FULL: Effort = {
  clients: [1, 8, 32],
  // The median of 7 other rounds lies within their spread nearly always; that of 3, in 3 of 5 runs.
  rounds: 7,
  burstRounds: 5,
  sliceMs: 600,
  warmUpMs: 700,
  isQuick: false,
};

const QUICK: Effort = {
  clients: [8],
  rounds: 3,
  burstRounds: 3,
  sliceMs: 800,
  warmUpMs: 800,
  isQuick: true,
};

const OPTIONS: ScriptOptions = {
  quick: { value: null, about: 'a few short rounds of 8 clients on tmpfs' },
  only: { value: 'CASES', about: `of ${CASE_NAMES.join(', ')}` },
  clients: { value: 'NUMBERS', about: `how many clients (default: ${FULL.clients.join(',')})` },
  rounds: {
    value: 'N',
    about: `rounds of each case (default: ${FULL.rounds}; quick: ${QUICK.rounds})`,
  },
  on: { value: 'MEDIUM', about: 'only on `tmpfs`, or only on `disk`' },
  peers: { value: null, about: 'compare with other software, on PostgreSQL' },
  growth: { value: 'PAYMENTS', about: 'Kefel with so many payments, compared with Kefel without' },
  profile: { value: 'CASE', about: 'no table, but where the processor time of this case goes' },
};

export const BENCH_HELP = optionsHelp(
  'npm run bench',
  `Measures the built Worker on workerd, each case in turn with a bare Worker that does the least that
the case needs. Without options it measures everything twice and writes docs/benchmarks.md; with only --peers, too.`,
  OPTIONS,
);

/** Reads the options of `npm run bench`; null asks for help. Throws on anything it does not know. */
export function benchOptions(args: readonly string[]): BenchOptions | null {
  const given = givenOptions(OPTIONS, args);
  if (given === null) {
    return null;
  }
  const [profile] = given.get('profile') ?? [];
  if (profile !== undefined) {
    return { type: 'profile', name: oneOf(CASE_NAMES, 'profile', profile) };
  }
  const isQuick = given.has('quick');
  const effort = isQuick ? QUICK : FULL;
  const listed = (name: string) => given.get(name)?.flatMap((text) => text.split(',')) ?? null;
  const names = listed('only')?.map((text) => oneOf(CASE_NAMES, 'only', text)) ?? CASE_NAMES;
  const clients = listed('clients')?.map((text) => wholeNumber('clients', text, 1));
  const hasGrowth = given.has('growth');
  if (hasGrowth && given.has('peers')) {
    throw new Error('--growth compares Kefel with itself, --peers with others');
  }
  const media = listed('on')?.map((text) => oneOf(MEDIA, 'on', text));
  return {
    type: 'measure',
    names,
    media: media ?? (isQuick ? ['tmpfs'] : MEDIA),
    effort: {
      ...effort,
      clients: clients ?? effort.clients,
      rounds: givenNumber(given, 'rounds', effort.rounds),
    },
    baseline: hasGrowth ? 'new' : given.has('peers') ? 'peers' : 'floor',
    payments: givenNumber(given, 'growth', 0),
    // Of a part, a table would replace that of the whole.
    isForDocument: [...given.keys()].every((name) => name === 'peers'),
  };
}

function oneOf<Name extends string>(names: readonly Name[], option: string, text: string): Name {
  const found = names.find((name) => name === text);
  if (found === undefined) {
    throw new Error(`--${option} takes ${names.join(', ')}`);
  }
  return found;
}
