import { placementOf } from '../../engine/config.ts';
import type { Method } from '../../engine/domain/method.ts';
import { objectClient } from '../../kit/platform/object-call.ts';
import { objectsIn } from '../../kit/platform/objects.ts';
import type { Environment } from '../../kit/tenant.ts';
import type { OpenFiles } from './open-files.ts';

/** Calls the object of a method's files. Each method throws ObjectUnavailable. */
export function filesOf(env: Env, environment: Environment, method: Method) {
  const objects = objectsIn(env.PROVIDER_FILES, placementOf(env));
  const id = objects.idFromName(`${environment}/${method}`);
  return objectClient<OpenFiles>(() => objects.get(id));
}
