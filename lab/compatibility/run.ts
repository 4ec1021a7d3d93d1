import { localSecrets } from '../../scripts/dev/local-secrets.ts';
import { startCbeBirrStandIn } from '../../scripts/stand-ins/cbe-birr.ts';
import { startEbirrStandIn } from '../../scripts/stand-ins/ebirr.ts';
import { inDirectory } from '../harness/directory.ts';
import type { VersionCode } from './bundles.ts';
import { missingMembers } from './compare.ts';
import { type Assignment, PARTS, type Version } from './host/choose.ts';
import type { Crossing } from './host/record.ts';
import { MerchantHooks } from './scenario/merchant-hooks.ts';
import type { Merchant } from './scenario/merchants.ts';
import { playScenario } from './scenario/scenario.ts';
import { startSystem, writeVersions } from './system.ts';

/** Every part in one version. */
export function allOf(version: Version): Assignment {
  return Object.fromEntries(PARTS.map((part) => [part, version])) as Assignment;
}

function newer(...parts: readonly (typeof PARTS)[number][]): Assignment {
  return { ...allOf('old'), ...Object.fromEntries(parts.map((part) => [part, 'new'])) };
}

/**
 * Each part but the alerts is new in two assignments, and two parts are never new in the same two. The
 * alerts alone are new in the last one. So each pair of parts meets in both directions: the one old and
 * the other new, and the reverse.
 */
export const MIXED: readonly Assignment[] = [
  newer('backOffice', 'intent', 'register'),
  newer('worker', 'consumer', 'register'),
  newer('worker', 'intent', 'book'),
  newer('backOffice', 'consumer', 'book'),
  newer('alerts'),
];

/** Worker with the other version's objects, in both directions, for a test that must be short. */
export const WORKER_AND_OBJECTS: readonly Assignment[] = [
  newer('worker', 'consumer'),
  newer('backOffice', 'intent', 'book', 'register', 'alerts'),
];

export interface Verdict {
  /** What went wrong, in the order of the runs; empty: the versions understand each other. */
  readonly faults: readonly string[];
  /** What crossed in the runs of one version. */
  readonly own: Readonly<Record<Version, readonly Crossing[]>>;
}

export interface CompatibilityOptions {
  readonly old: VersionCode;
  readonly new: VersionCode;
  readonly port: number;
  /** By default `MIXED`, with which every pair of parts meets in both directions. */
  readonly mixed?: readonly Assignment[];
  /** What crossed between parts of one version, if a run has shown it already. */
  readonly known?: Partial<Readonly<Record<Version, readonly Crossing[]>>>;
  readonly log?: (line: string) => void;
}

/**
 * Runs the scenario with all parts old, with all parts new, and with mixed versions, one after the
 * other on the same storage: each run reads and refunds the payments that the runs before it made.
 * Ends with the first run that fails.
 */
export async function runCompatibility(options: CompatibilityOptions): Promise<Verdict> {
  const { old, port, mixed = MIXED, log = () => undefined } = options;
  const isSame = old === options.new;
  const secrets = await localSecrets();
  const hooks = await MerchantHooks.start();
  const rails = { E_BIRR: await startEbirrStandIn(), CBE: await startCbeBirrStandIn() };
  const variables = Object.fromEntries(
    Object.entries(rails).map(([method, { settings }]) => [
      `RAIL_${method}_PRODUCTION`,
      JSON.stringify(settings),
    ]),
  );
  try {
    return await inDirectory(async (stateDirectory) => {
      const versions = await writeVersions(stateDirectory, { old, new: options.new });
      const merchants: Merchant[] = [];
      const runOf = async (assignment: Assignment): Promise<readonly Crossing[]> => {
        const shared = { versions, secrets, variables, stateDirectory, port };
        const system = await startSystem({ ...shared, assignment });
        try {
          const merchantId = `shop-${merchants.length}`;
          const play = { system, secrets, hooks, rails, merchantId };
          merchants.push(await playScenario(play, merchants));
          return await system.crossings();
        } finally {
          await system.stop();
        }
      };
      const ownOf = async (version: Version) => {
        log(`all parts ${isSame ? 'in one version' : version}`);
        return options.known?.[version] ?? runOf(allOf(version));
      };
      const newOwn = await ownOf('new');
      const own = { new: newOwn, old: isSame ? newOwn : await ownOf('old') };
      for (const assignment of mixed) {
        const name = PARTS.filter((part) => assignment[part] === 'new').join(', ');
        log(`new: ${name}; the other parts old`);
        const faults = await runOf(assignment).then(
          (crossings) => missingMembers(crossings, assignment, own),
          (error: unknown) => [error instanceof Error ? error.message : String(error)],
        );
        if (faults.length > 0) {
          return { own, faults: faults.map((fault) => `with new ${name}: ${fault}`) };
        }
      }
      return { own, faults: [] };
    });
  } finally {
    await hooks.stop();
    await Promise.all(Object.values(rails).map((rail) => rail.stop()));
  }
}
