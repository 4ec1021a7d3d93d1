import type { Cloudflare } from '../deployment/cloudflare.ts';
import { type Deployment, writeDeployment } from '../deployment/deployment-file.ts';
import { checkFingerprint } from '../deployment/keys.ts';
import type { Places } from '../deployment/options.ts';
import { requireRecoveryFile } from '../deployment/recovery-file.ts';
import type { RecoveryKey } from '../deployment/recovery-key.ts';
import { type RenderedWorkers, writeWorkerConfigs } from '../deployment/render.ts';
import type { RunWrangler } from '../deployment/wrangler.ts';
import type { Terminal } from './terminal.ts';

/** Where a deployment's files are, and how a command about it runs. */
export interface RunOptions extends Places {
  /** Whether nothing may be asked. */
  readonly isYes: boolean;
  readonly isDryRun: boolean;
  /** The command that continues after a failure. */
  readonly command: string;
}

export interface Tools {
  readonly terminal: Terminal;
  readonly cloudflare: Cloudflare;
  readonly runWrangler: RunWrangler;
  /** The commit that the project's code is; null for code that no commit has. */
  readonly commitOfCode: () => Promise<string | null>;
  /** Lets the deployed gateway check itself. Throws what is wrong. */
  readonly checkGateway: (
    setup: Setup,
    operator: Operator,
    options: { readonly mustStart: boolean; readonly isBefore?: boolean },
  ) => Promise<void>;
}

/** Takes a change back that the gateway does not work with. */
export interface Reversal {
  /** Completes "Went back: ": `all requests of kefel go to … again`. */
  readonly what: string;
  readonly make: () => Promise<void>;
}

/** Who asks the gateway. */
export interface Operator {
  readonly name: string;
  readonly secret: string;
}

/** What reads and changes the account. */
export type AccountAccess = Pick<Setup, 'cloudflare' | 'runWrangler' | 'path'>;

/** What the steps know and change together. */
export class Setup {
  readonly options: RunOptions;
  readonly terminal: Terminal;
  readonly cloudflare: Cloudflare;
  readonly runWrangler: RunWrangler;
  readonly commitOfCode: Tools['commitOfCode'];
  readonly checkGateway: Tools['checkGateway'];
  /** What takes this run's changes back, the last change last. */
  readonly reversals: Reversal[] = [];
  /** The checks that failed before the first of them; null: unknown. */
  wrongBefore: ReadonlySet<string> | null = null;
  #deployment: Deployment | null;
  /** Whether the deployment file exists. */
  #isStored: boolean;

  constructor(options: RunOptions, tools: Tools, stored: Deployment | null) {
    this.options = options;
    this.terminal = tools.terminal;
    this.cloudflare = tools.cloudflare;
    this.runWrangler = tools.runWrangler;
    this.commitOfCode = tools.commitOfCode;
    this.checkGateway = tools.checkGateway;
    this.#deployment = stored;
    this.#isStored = stored !== null;
  }

  get isStored(): boolean {
    return this.#isStored;
  }

  /** The stored deployment, or in a first run the planned one. */
  get deployment(): Deployment {
    if (this.#deployment === null) {
      throw new Error('the first step plans the deployment');
    }
    return this.#deployment;
  }

  /** Sets what the deployment will be, without storing it. */
  plan(deployment: Deployment): void {
    this.#deployment = deployment;
  }

  async store(deployment: Deployment): Promise<void> {
    await writeDeployment(this.options.name, deployment, this.options.directory);
    this.#deployment = deployment;
    this.#isStored = true;
  }

  /** The key, which only this machine has. Throws when its file is elsewhere. */
  async recoveryKey(): Promise<RecoveryKey> {
    const key = await requireRecoveryFile(this.options.recoveryFile, this.deployment);
    checkFingerprint(this.deployment, key);
    return key;
  }

  workers(): Promise<RenderedWorkers> {
    const { name, directory } = this.options;
    return writeWorkerConfigs(name, this.deployment, directory);
  }

  /** `/accounts/…` of the deployment's account. */
  path(below: string): string {
    return `/accounts/${this.deployment.account.id}/${below}`;
  }
}
