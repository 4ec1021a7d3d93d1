import { isFileError } from '../project/files.ts';
import { CloudflareError } from './cloudflare.ts';
import { DeploymentFileError } from './deployment-file.ts';
import { RecoveryKeyError } from './recovery-key.ts';
import { WranglerError } from './wrangler.ts';

/** What failed in plain words, and what to do about it. */
interface Explanation {
  readonly problem: string;
  readonly remedy: string;
}

/** A failure that setup itself found. */
export class SetupProblem extends Error {
  override readonly name = 'SetupProblem';
  readonly problem: string;
  readonly remedy: string;

  constructor(problem: string, remedy: string) {
    super(problem);
    this.problem = problem;
    this.remedy = remedy;
  }
}

/** The permission that a call needs, by a part of its path; the first that matches decides. */
const PERMISSIONS: readonly (readonly [part: RegExp, permission: string])[] = [
  [/\/d1\//, 'Account: D1: Edit'],
  [/\/queues/, 'Account: Queues: Edit'],
  [/\/r2\//, 'Account: Workers R2 Storage: Edit'],
  [/\/zones|\/domains|\/routes/, 'Zone: Workers Routes: Edit, and Zone: Zone: Read'],
  [/\/workers/, 'Account: Workers Scripts: Edit'],
  [/\/accounts/, 'Account: Account Settings: Read'],
];

const TOKENS = 'https://dash.cloudflare.com/profile/api-tokens';
export const R2_NOT_ENABLED = 10042;
const D1_QUOTA = 7406;
const NEWEST_NOT_DEPLOYED = [10214, 10215];

/** The permission that the token lacks. */
export function permissionFor(path: string): string {
  return PERMISSIONS.find(([part]) => part.test(path))?.[1] ?? 'the one that the message names';
}

export function missingPermissions(permissions: readonly string[]): SetupProblem {
  return new SetupProblem(
    `the token of Cloudflare lacks ${permissions.length === 1 ? 'a permission' : 'permissions'}: ${permissions.join('; ')}`,
    `Add what is missing to the token at ${TOKENS}, or log in with \`npx wrangler login\`.`,
  );
}

export function explained(error: unknown): Explanation {
  if (error instanceof SetupProblem) {
    return error;
  }
  if (error instanceof CloudflareError) {
    return explainedCall(error);
  }
  if (error instanceof WranglerError) {
    return {
      problem: error.message,
      remedy:
        'Read what wrangler printed above. A network error passes; otherwise correct it first.',
    };
  }
  if (error instanceof RecoveryKeyError || error instanceof DeploymentFileError) {
    return { problem: error.message, remedy: 'Correct it first.' };
  }
  if (isFileError(error)) {
    return {
      problem: `${error.message}`,
      remedy: 'Look at the place and the permissions of this file.',
    };
  }
  // A bug of setup: the report needs its stack.
  throw error;
}

function explainedCall(error: CloudflareError): Explanation {
  if (error.status === null) {
    return {
      problem: error.message,
      remedy: 'Look at the network of this machine, then try again.',
    };
  }
  if (error.code === R2_NOT_ENABLED) {
    return {
      problem: 'the account has not enabled R2, where backups are kept',
      remedy:
        'Enable it at https://dash.cloudflare.com/?to=/:account/r2 (it asks for a payment card), or go on without backups with --without-backup.',
    };
  }
  if (error.code === D1_QUOTA) {
    return {
      problem: 'the account has as many databases as its plan allows',
      remedy:
        'Delete one that you do not need, or change the plan, at https://dash.cloudflare.com/?to=/:account/workers/d1.',
    };
  }
  if (NEWEST_NOT_DEPLOYED.includes(error.code ?? 0)) {
    return {
      problem: 'the newest version is not the deployed one, so Cloudflare changes no secret',
      remedy:
        'Deploy the code that should run with `npm run deploy`, so that it is the newest version, and then run this again. After a rollback, take the older code first: docs/operations.md#roll-back.',
    };
  }
  if (error.status === 401) {
    return {
      problem: 'Cloudflare does not accept the token, or there is none',
      remedy: 'Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN to a valid token.',
    };
  }
  if (error.status === 403) {
    return missingPermissions([permissionFor(error.path)]);
  }
  if (error.status === 429 || error.status >= 500) {
    return {
      problem: error.message,
      remedy:
        'Cloudflare is busy or has a fault (https://www.cloudflarestatus.com). Wait a minute.',
    };
  }
  return {
    problem: error.message,
    remedy: 'Cloudflare named the reason above. Correct it first.',
  };
}
