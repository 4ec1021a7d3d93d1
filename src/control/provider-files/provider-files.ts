import { lazyObject } from '../../kit/platform/lazy-object.ts';
import type { OpenFiles } from './open-files.ts';

/**
 * The class of the object that has the provider's files of one method in one environment. It reads,
 * matches and compares them in steps of its alarm, so that a kill at any line loses nothing.
 */
export const providerFiles = lazyObject<OpenFiles>({
  load: async (ctx, env) => {
    const { OpenFiles } = await import('./open-files.ts');
    return new OpenFiles(ctx, env);
  },
  methods: {
    begin: true,
    upload: true,
    finish: true,
    file: true,
    beginning: true,
    files: true,
    lines: true,
    line: true,
    sums: true,
    decide: true,
    profiles: true,
    profile: true,
    storeProfile: true,
    deleteProfile: true,
    alarm: true,
  },
});
