import type { Cloudflare } from '../deployment/cloudflare.ts';
import { type Deployment, writeDeployment } from '../deployment/deployment-file.ts';
import { checkFingerprint } from '../deployment/keys.ts';
import { requireRecoveryFile } from '../deployment/recovery-file.ts';
import type { RecoveryKey } from '../deployment/recovery-key.ts';
import { type RenderedWorkers, writeWorkerConfigs } from '../deployment/render.ts';
import type { RunWrangler } from '../deployment/wrangler.ts';
import type { Terminal } from './terminal.ts';

export interface SetupOptions {
  /** The deployment's name: `production`. */
  readonly name: string;
  readonly url: string | undefined;
  readonly officeUrl: string | undefined;
  readonly operator: string | undefined;
  readonly jurisdiction: string | undefined;
  readonly locationHint: string | undefined;
  /** The account's id, where the login has several. */
  readonly account: string | undefined;
  readonly isWithoutBackup: boolean;
  /** Host names whose DNS records of something else may be replaced. */
  readonly replaceDns: readonly string[];
  readonly isYes: boolean;
  readonly isDryRun: boolean;
  readonly recoveryFile: string;
  /** Gets the operators' own secrets. */
  readonly operatorsFile: string;
  /** Of the deployment files. */
  readonly directory: string;
  /** The command that continues after a failure. */
  readonly command: string;
}

export interface Tools {
  readonly terminal: Terminal;
  readonly cloudflare: Cloudflare;
  readonly runWrangler: RunWrangler;
}

/** What the steps know and change together. */
export class Setup {
  readonly options: SetupOptions;
  readonly terminal: Terminal;
  readonly cloudflare: Cloudflare;
  readonly runWrangler: RunWrangler;
  #deployment: Deployment | null;
  /** Whether the deployment file exists. */
  #isStored: boolean;

  constructor(options: SetupOptions, tools: Tools, stored: Deployment | null) {
    this.options = options;
    this.terminal = tools.terminal;
    this.cloudflare = tools.cloudflare;
    this.runWrangler = tools.runWrangler;
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
    const key = await requireRecoveryFile(this.options.recoveryFile);
    checkFingerprint(this.deployment, key);
    return key;
  }

  workers(): Promise<RenderedWorkers> {
    return writeWorkerConfigs(this.options.name, this.deployment);
  }

  /** `/accounts/…` of the deployment's account. */
  path(below: string): string {
    return `/accounts/${this.deployment.account.id}/${below}`;
  }
}
