import type { Cloudflare } from '../deployment/cloudflare.ts';
import type { Deployment } from '../deployment/deployment-file.ts';
import type { Plane } from '../deployment/keys.ts';
import type { RenderedWorkers } from '../deployment/render.ts';
import type { RunWrangler } from '../deployment/wrangler.ts';
import type { Terminal } from '../setup/terminal.ts';

export interface DeployOptions {
  /** The deployment's name: `production`. */
  readonly name: string;
  readonly isYes: boolean;
  /** What the command does; each of the others is done alone. */
  readonly act: 'deploy' | 'migrate' | 'rollback';
  /** Has an operator's secret for the self-check. */
  readonly operatorsFile: string;
  /** This command without what it does: `npm run deploy -- --env staging`. */
  readonly command: string;
}

/** What touches the world. Tests replace it. */
export interface DeployTools {
  readonly terminal: Terminal;
  readonly cloudflare: Cloudflare;
  readonly runWrangler: RunWrangler;
  /** Runs git in the project and returns what it printed. */
  readonly git: (...args: readonly string[]) => Promise<string>;
  /** Deploys an older commit with this deployment file, by its own `npm run deploy`. */
  readonly deployCommit: (commit: string) => Promise<boolean>;
  readonly fetch: typeof fetch;
  readonly wait: (ms: number) => Promise<void>;
  /** Runs a new self-check; throws when something is wrong. Returns what each check found. */
  readonly selfCheck: (
    origin: string,
    operator: Operator,
    headers: Readonly<Record<string, string>>,
  ) => Promise<ReadonlyMap<string, string>>;
}

export interface Operator {
  readonly name: string;
  readonly secret: string;
}

/** A run of `npm run deploy`. */
export interface DeployRun extends DeployTools {
  readonly options: DeployOptions;
  readonly deployment: Deployment;
  readonly workers: RenderedWorkers;
  /** Of the deployment files. */
  readonly directory: string | undefined;
  /** The Workers whose requests this run has moved. */
  readonly changed: Set<string>;
  /** `/accounts/…` of the deployment's account. */
  path(below: string): string;
}

/** The payments come first: the back office calls them, and never the reverse. */
export const PLANES: readonly Plane[] = ['payments', 'backOffice'];
