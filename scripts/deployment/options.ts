import { DEPLOYMENTS_DIRECTORY } from './deployment-file.ts';
import { checkDeploymentName, PRODUCTION } from './names.ts';
import { defaultOperatorsFile } from './operators-file.ts';
import { defaultRecoveryFile } from './recovery-file.ts';

/** Options of every command for a deployment. */
export const DEPLOYMENT_OPTIONS = {
  env: {
    value: 'NAME',
    about: `the deployment (default: KEFEL_ENV, else ${PRODUCTION})`,
    read: (text: string | undefined) =>
      checkDeploymentName(text ?? (process.env.KEFEL_ENV || PRODUCTION)),
  },
  account: { value: 'ID', about: 'the account of Cloudflare, if your login has several' },
  recovery: { value: 'FILE', about: 'the recovery file (default: ~/kefel-NAME-recovery.txt)' },
  operators: {
    value: 'FILE',
    about: 'the file of the operator on this machine (default: ~/kefel-NAME-operators.json)',
  },
  directory: { value: 'FOLDER', about: 'of the deployment files (default: deployments)' },
};

interface Given {
  readonly env: string;
  readonly account: string | undefined;
  readonly recovery: string | undefined;
  readonly operators: string | undefined;
  readonly directory: string | undefined;
}

/** Where a deployment's files are. */
export interface Places {
  readonly name: string;
  readonly account: string | undefined;
  readonly recoveryFile: string;
  readonly operatorsFile: string;
  readonly directory: string;
}

export function placesOf({ env, account, recovery, operators, directory }: Given): Places {
  return {
    name: env,
    account: account ?? process.env.CLOUDFLARE_ACCOUNT_ID,
    recoveryFile: recovery ?? defaultRecoveryFile(env),
    operatorsFile: operators ?? defaultOperatorsFile(env),
    directory: directory ?? DEPLOYMENTS_DIRECTORY,
  };
}
