import { backOfficeConfigOf } from '../../back-office/config.ts';
import type { BackOfficeEnv } from '../../back-office/env.ts';
import { operatorSettings } from '../../back-office/operator/settings.ts';
import { type AlertBindings, checkAlertSettings } from '../../src/control/alerts/config.ts';
import { configOf, origin, secretEndsOf, supportOf } from '../../src/engine/config.ts';
import {
  type MessageBindings,
  messageMailboxOf,
} from '../../src/engine/webhooks/people/settings.ts';
import { publishedKeys } from '../../src/engine/webhooks/published-keys.ts';
import { ConfigError } from '../../src/kit/config-error.ts';
import { ENVIRONMENTS } from '../../src/kit/tenant.ts';
import { type Deployment, deploymentFile } from '../deployment/deployment-file.ts';
import { SetupProblem } from '../deployment/explain.ts';
import { secretsOf } from '../deployment/keys.ts';
import { recoveryKeyAt } from '../deployment/recovery-file.ts';
import { type RenderedWorkers, writeWorkerConfigs } from '../deployment/render.ts';
import { tooLong } from '../deployment/value-length.ts';
import type { Secrets } from '../project/secrets.ts';
import type { Setup } from './context.ts';

/** In place of secrets that this machine cannot make: the parsers need some. */
const RING = `none:${btoa('0'.repeat(32))}`;
const PLACEHOLDERS: Secrets = {
  LINK_SIGNING_KEYS: RING,
  DATA_ENCRYPTION_KEYS: RING,
  BACKUP_KEYS: RING,
  WEBHOOK_RSA_PRIVATE_KEYS_SANDBOX: RING,
  WEBHOOK_RSA_PRIVATE_KEYS_PRODUCTION: RING,
  BACK_OFFICE_KEYS: RING,
  OPERATOR_SECRETS: `kfl_op_${'0'.repeat(43)}`,
};

/**
 * Reads each variable and secret as the Workers will, before anything is uploaded: with one that they
 * cannot read, the gateway answers nothing. `secrets`: null where the recovery key is elsewhere.
 */
export async function checkValues(
  { payments, backOffice }: RenderedWorkers,
  secrets: Secrets | null,
  file: string,
): Promise<void> {
  const own = secrets ?? PLACEHOLDERS;
  const paymentsEnv = { ...own, ...payments.config.vars } as unknown as Env;
  const officeEnv = { ...own, ...backOffice.config.vars } as unknown as BackOfficeEnv;
  const parsers: readonly (() => unknown)[] = [
    () => configOf(paymentsEnv),
    () => secretEndsOf(paymentsEnv),
    // Setup adds the binding itself.
    () => checkAlertSettings({ ...paymentsEnv, ALERT_EMAIL: {} } as unknown as AlertBindings),
    () => messageMailboxOf({ ...paymentsEnv, MESSAGE_EMAIL: {} } as unknown as MessageBindings),
    ...ENVIRONMENTS.map((environment) => () => {
      const suffix = environment === 'sandbox' ? 'SANDBOX' : 'PRODUCTION';
      const retired = paymentsEnv[`WEBHOOK_RETIRED_KEYS_${suffix}`];
      const keys = secrets === null ? [] : configOf(paymentsEnv).webhookRsaKeys[environment];
      return publishedKeys(keys, retired, { retentionMs: 0, nowMs: 0 });
    }),
    () => backOfficeConfigOf(officeEnv),
    () => operatorSettings(officeEnv),
    () => supportOf(officeEnv),
    () => origin('PAYMENTS_BASE_URL', officeEnv.PAYMENTS_BASE_URL),
  ];
  const faults = [
    ...(await Promise.all(parsers.map(faultOf))),
    ...[own, payments.config.vars ?? {}, backOffice.config.vars ?? {}].flatMap(tooLong),
  ];
  const messages = [...new Set(faults.filter((fault) => fault !== null))];
  if (messages.length > 0) {
    throw new SetupProblem(
      `the gateway could not read this, so nothing was uploaded:\n${messages.map((text) => `  ${text}`).join('\n')}`,
      `Correct it in ${file}.`,
    );
  }
}

async function faultOf(parse: () => unknown): Promise<string | null> {
  try {
    await parse();
    return null;
  } catch (error) {
    if (error instanceof ConfigError) {
      return error.message;
    }
    throw error;
  }
}

/** The same for a deployment file that is not stored yet, with its secrets if their key is here. */
export async function checkDeployment(
  { options, isStored }: Setup,
  deployment: Deployment,
): Promise<void> {
  const workers = await writeWorkerConfigs(options.name, deployment, options.directory);
  const key = isStored ? await recoveryKeyAt(options.recoveryFile, deployment) : null;
  const secrets = key === null ? null : await secretsOf(deployment, key);
  await checkValues(workers, secrets, deploymentFile(options.name, options.directory));
}
