import { numberOption, type ValuesOf, wholeNumber } from '../../scripts/project/options.ts';
import { CASE_NAMES, type CaseName } from './cases.ts';
import type { Effort } from './measure.ts';
import type { Medium } from './run.ts';

const MEDIA: readonly Medium[] = ['tmpfs', 'disk'];

export type Chosen =
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

const OPTIONS = {
  quick: { value: null, about: 'a few short rounds of 8 clients on tmpfs' },
  only: {
    value: 'CASES',
    about: `of ${CASE_NAMES.join(', ')}`,
    read: (text: string | undefined, name: string) =>
      text?.split(',').map((each) => oneOf(CASE_NAMES, name, each)),
  },
  clients: {
    value: 'NUMBERS',
    about: `how many clients (default: ${FULL.clients.join(',')})`,
    read: (text: string | undefined, name: string) =>
      text?.split(',').map((each) => wholeNumber(name, each, 1)),
  },
  rounds: {
    ...numberOption('N', '', null),
    about: `rounds of each case (default: ${FULL.rounds}; quick: ${QUICK.rounds})`,
  },
  on: {
    value: 'MEDIUM',
    about: 'only on `tmpfs`, or only on `disk`',
    read: (text: string | undefined, name: string) =>
      text?.split(',').map((each) => oneOf(MEDIA, name, each)),
  },
  peers: { value: null, about: 'compare with other software, on PostgreSQL' },
  growth: numberOption(
    'PAYMENTS',
    'Kefel with so many payments, compared with Kefel without',
    null,
  ),
  profile: {
    value: 'CASE',
    about: 'no table, but where the processor time of this case goes',
    read: (text: string | undefined, name: string) =>
      text === undefined ? undefined : oneOf(CASE_NAMES, name, text),
  },
};

export const BENCH = {
  usage: 'npm run bench',
  about: `Measures the built Worker on workerd, each case in turn with a bare Worker that does the least that
the case needs. Without options it measures everything twice and writes docs/benchmarks.md; with only --peers, too.`,
  options: OPTIONS,
};

/** What the options of `npm run bench` ask for. Throws when they contradict each other. */
export function chosenBy(values: ValuesOf<typeof OPTIONS>): Chosen {
  const { quick, only, clients, rounds, on, peers, growth, profile } = values;
  if (profile !== undefined) {
    return { type: 'profile', name: profile };
  }
  if (growth !== null && peers) {
    throw new Error('--growth compares Kefel with itself, --peers with others');
  }
  const effort = quick ? QUICK : FULL;
  const isPart = quick || [only, clients, on].some((given) => given !== undefined);
  return {
    type: 'measure',
    names: only ?? CASE_NAMES,
    media: on ?? (quick ? ['tmpfs'] : MEDIA),
    effort: {
      ...effort,
      clients: clients ?? effort.clients,
      rounds: rounds ?? effort.rounds,
    },
    baseline: growth !== null ? 'new' : peers ? 'peers' : 'floor',
    payments: growth ?? 0,
    // Of a part, a table would replace that of the whole.
    isForDocument: !isPart && rounds === null && growth === null,
  };
}

function oneOf<Name extends string>(names: readonly Name[], option: string, text: string): Name {
  const found = names.find((name) => name === text);
  if (found === undefined) {
    throw new Error(`--${option} takes ${names.join(', ')}`);
  }
  return found;
}
