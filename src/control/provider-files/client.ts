import { placementOf } from '../../engine/config.ts';
import type { Method } from '../../engine/domain/method.ts';
import { methodsOf } from '../../kit/platform/object-call.ts';
import { objectsIn } from '../../kit/platform/objects.ts';
import type { Environment } from '../../kit/tenant.ts';
import type { OpenFiles } from './open-files.ts';

/** Calls the object of a method's files. Each method throws ObjectUnavailable. */
export function filesOf(env: Env, environment: Environment, method: Method) {
  const objects = objectsIn(env.PROVIDER_FILES, placementOf(env));
  const id = objects.idFromName(`${environment}/${method}`);
  const call = methodsOf<OpenFiles>(() => objects.get(id));
  return {
    begin: call('begin'),
    upload: call('upload'),
    finish: call('finish'),
    file: call('file'),
    beginning: call('beginning'),
    files: call('files'),
    lines: call('lines'),
    line: call('line'),
    sums: call('sums'),
    decide: call('decide'),
    profiles: call('profiles'),
    profile: call('profile'),
    storeProfile: call('storeProfile'),
    deleteProfile: call('deleteProfile'),
  };
}
