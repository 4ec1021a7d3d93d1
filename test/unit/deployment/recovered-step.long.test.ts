import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeDeployment } from '../../../scripts/deployment/deployment-file.ts';
import { idOf } from '../../../scripts/deployment/keys.ts';
import { derivedKey, parseRecoveryKey } from '../../../scripts/deployment/recovery-key.ts';
import { recoveredStep } from '../../../scripts/setup/recovered-step.ts';
import { keyRing } from '../../../src/engine/config.ts';
import { manifestName } from '../../../src/recovery/backup/names.ts';
import { sealPart } from '../../../src/recovery/backup/part.ts';
import { type SetupScene, setupScene } from '../../support/setup-scene.ts';

/** Goal: a gateway that was set up again gets the secrets of its rails out of the backup. */

const RUN = '20261127T013700Z';
const RAIL = '{"consumerKey":"RAIL-SECRET"}';

test('decisions.md#49: the rails’ secrets come back, and nothing that the Worker has is replaced', async () => {
  await using scene = await setupScene();
  expect((await scene.setup()).isDone).toBe(true);
  const before = scene.secrets('kefel');
  const secrets = {
    LINK_SIGNING_KEYS: 'k0:AAAA',
    RAIL_M_PESA_PRODUCTION: RAIL,
    ALERT_WEBHOOK: '{"url":"https://alerts.example"}',
  };
  await putBackup(scene, secrets);
  const run = () => scene.steps((setup) => [recoveredStep(setup, scene.home, RUN)]);

  const set = await run();
  expect(set.text).toContain('Will set RAIL_M_PESA_PRODUCTION, ALERT_WEBHOOK of the Worker kefel');
  expect(set.text).not.toContain('RAIL-SECRET');
  expect(set.isDone).toBe(true);
  const { LINK_SIGNING_KEYS: _, ...optional } = secrets;
  expect(scene.secrets('kefel')).toEqual({ ...before, ...optional });

  const again = await run();
  expect(again.text).toContain('Nothing to do');
  expect(scene.cloudflare.changes()).toEqual([]);
});

test('secrets stay as they are while the deployment lacks the binding of one', async () => {
  await using scene = await setupScene();
  await scene.setup();
  await putBackup(scene, { RAIL_M_PESA_PRODUCTION: '{"through":"VPC_ETHIO"}' });
  const run = () => scene.steps((setup) => [recoveredStep(setup, scene.home, RUN)]);
  const { isDone, text } = await run();
  expect(isDone).toBe(false);
  expect(text).toContain('RAIL_M_PESA_PRODUCTION goes through VPC_ETHIO');
  expect(scene.cloudflare.changes()).toEqual([]);
  const vpcServices = { VPC_ETHIO: '0193e0f0-9b1c-7cc2-8b56-0d1f5a3c7e21' };
  await writeDeployment(
    'production',
    { ...(await scene.deployment()), vpcServices },
    scene.directory,
  );
  expect((await run()).isDone).toBe(true);
});

async function putBackup(scene: SetupScene, secrets: Readonly<Record<string, string>>) {
  const { keys } = await scene.deployment();
  const recoveryKey = parseRecoveryKey(await scene.recoveryText());
  const keyId = idOf(keys.BACKUP_KEYS[0] ?? '');
  const ring = keyRing('BACKUP_KEYS', `${keyId}:${derivedKey(recoveryKey, 'BACKUP_KEYS', keyId)}`);
  await mkdir(join(scene.home, 'runs'));
  const part = await sealPart(ring, manifestName(RUN), [{ run: RUN, secrets }]);
  await writeFile(join(scene.home, manifestName(RUN)), part);
}

test('secrets stay as they are while a deployment is under way', async () => {
  await using scene = await setupScene();
  await scene.setup();
  await putBackup(scene, { RAIL_M_PESA_PRODUCTION: RAIL });
  const { versions, deployments } = scene.script('kefel');
  const [current] = deployments;
  const [version] = versions;
  const other = { ...version, id: '00000000-0000-4000-8000-000000000001' };
  versions.push(other as (typeof versions)[number]);
  const shares = [
    { version_id: other.id, percentage: 10 },
    { version_id: version?.id ?? '', percentage: 90 },
  ];
  deployments.unshift({ ...current, versions: shares } as (typeof deployments)[number]);
  const { isDone, text } = await scene.steps((setup) => [recoveredStep(setup, scene.home, RUN)]);
  expect(isDone).toBe(false);
  expect(text).toContain('under way');
  expect(scene.cloudflare.changes()).toEqual([]);
});
